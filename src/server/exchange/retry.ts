import type { ThreadStatus } from '../../history/index.ts'
import { listLog } from '../../history/log/read-log.ts'
import type { StoredTurn, ThreadKey } from '../../stores/store.ts'
import { itemOf } from '../identity/item.ts'
import type { Asked } from './asked.ts'
import type { Place } from './place.ts'

/** How long a request waits for a turn that is being answered: a client that cancels goes on at once. */
export const shortPause = 2_000

/** How long a repeated request waits for the answer to the first one, and for how long a client library tries again. */
const longestRetry = 600_000
const mostRetries = 3

/** Whether a client library says that it sends a request again, or will know it again if it does. */
export const isRetry = (asked: Asked): boolean => isCounted(asked) || keyOf(asked) !== undefined

export const patienceOf = (asked: Asked): number => (isRetry(asked) ? longestRetry : shortPause)

export const keyOf = ({ headers }: Asked): string | undefined => headers['idempotency-key']

/** Whether a request that says the same as a turn is that request once more. With a key, another key is another request. */
export function isRetryOf(asked: Asked, turn: StoredTurn): boolean {
  const key = keyOf(asked)
  return key === undefined ? isCounted(asked) : turn.key === key
}

const isCounted = ({ headers }: Asked) => Number(headers['x-stainless-retry-count'] ?? 0) > 0

/** Whether a client library may still be trying to get the answer to a turn. */
export const isRecent = ({ now }: Asked, { startedAt }: StoredTurn): boolean =>
  now() - startedAt < mostRetries * longestRetry

/** Whether the writer of a turn is gone. */
export const isLeft = (turn: StoredTurn, { state }: ThreadStatus): boolean =>
  turn.status === 'open' && state === 'interrupted'

/** The place of a request that the log has already, in a turn that its writer left. Who takes it over, fences the writer. */
export const leftPlace = (place: Omit<Place, 'kind' | 'from' | 'why'>, why: string): Place => ({
  ...place,
  ...{ kind: 'extends', isLeft: true, from: place.messages.length },
  why: `${why}; its turn was left open, and is answered now`,
})

/** Whether the log has the whole reply to the message at a place: the turn is completed, or went on after the reply. */
export async function hasReply(
  { log }: Asked,
  thread: ThreadKey,
  at: number,
  turn: StoredTurn,
): Promise<boolean> {
  if (turn.status === 'completed') return turn.last > at
  const source = { store: log.store, key: thread, count: log.history.count }
  const after = await listLog(source, { from: at + 1, to: turn.last })
  const items = after.flatMap(({ message, seq, isClosing, isBroken }) =>
    isClosing || isBroken ? [] : (itemOf(message, seq) ?? []),
  )
  const first = items.findIndex(text => text.startsWith('assistant'))
  // A reply with calls is whole: the turn waits for their results.
  return first >= 0 && (items[first]!.startsWith('assistant!') || first < items.length - 1)
}
