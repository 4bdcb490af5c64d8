import { createHash } from 'node:crypto'
import type { ThreadStatus } from '../../history/index.ts'
import { listLog } from '../../history/log/read-log.ts'
import { orAborted } from '../../log/or-aborted.ts'
import { sleep } from '../../models/sleep.ts'
import type { Store, StoredTurn, ThreadKey } from '../../stores/store.ts'
import { oneByOne } from '../../turn/wait/one-by-one.ts'
import { within } from '../../turn/wait/within.ts'
import { hashOfText } from '../identity/chain.ts'
import { itemOf } from '../identity/item.ts'
import { knownClient } from '../identity/known-client.ts'
import { type Inquiry, sourceOf } from './inquiry.ts'
import type { LogPlace } from './log-place.ts'

/** How long a new message waits for the turn before it: a client that cancels writes the next message at once. */
export const shortPause = 2_000

/** How long a repeated request waits for the answer to the first one. Client libraries give up after ten minutes. */
const longestRetry = 600_000
const mostRetries = 3

/** Whether a request may have come before: its client library counts its tries, or gives it an idempotency key. */
export const isRetry = (inquiry: Inquiry): boolean => isCounted(inquiry) || keyOf(inquiry) !== undefined

export const patienceOf = (inquiry: Inquiry): number => (isRetry(inquiry) ? longestRetry : shortPause)

export const keyOf = ({ headers }: Inquiry): string | undefined => headers['idempotency-key']

/** Whether a request that says the same as a turn is that request once more. With a key, another key is another request. */
export async function isRetryOf(inquiry: Inquiry, thread: ThreadKey, turn: StoredTurn): Promise<boolean> {
  return keyOf(inquiry) === undefined
    ? isCounted(inquiry)
    : (await turnOfKey(inquiry, thread, [turn])) !== undefined
}

/** The turn that a request with the same key began, or went on with. */
export async function turnOfKey(
  inquiry: Inquiry,
  { conversation, actor, branch }: ThreadKey,
  turns: readonly StoredTurn[],
): Promise<StoredTurn | undefined> {
  const key = keyOf(inquiry)
  const begun = turns.find(turn => turn.key === key)
  if (begun || key === undefined || turns.length === 0) return begun
  const marked = await inquiry.log.store.findMarks(inquiry.log.tenant, [keyMark(inquiry, key)])
  const places = marked.filter(
    ({ thread }) =>
      thread.conversation === conversation && thread.actor === actor && thread.branch === branch,
  )
  return turns.find(({ first }) => places.some(({ at }) => at === first))
}

/** Marks the first entry of a turn with the key of a request that goes on with it: the turn itself has only that of the first. */
export const keyMark = ({ keyId }: Pick<Inquiry, 'keyId'>, key: string): string =>
  `k${hashOfText(JSON.stringify([keyId, key]))}`

const isCounted = ({ headers }: Inquiry) => Number(headers['x-stainless-retry-count'] ?? 0) > 0

/** Whether a client library may still be trying to get the answer to a turn. */
export const isRecent = ({ now }: Inquiry, { startedAt }: StoredTurn): boolean =>
  now() - startedAt < mostRetries * longestRetry

/** Whether the writer of a turn is gone. */
export const isLeft = (turn: StoredTurn, { state }: ThreadStatus): boolean =>
  turn.status === 'open' && state === 'interrupted'

/** Whether the log has the whole reply to the message at a place: the turn is completed, or went on after the reply. */
export async function hasReply({ log }: Inquiry, thread: ThreadKey, at: number, turn: StoredTurn) {
  if (turn.status === 'completed') return turn.last > at
  const after = await listLog(sourceOf(log, thread), { from: at + 1, to: turn.last })
  const items = after.flatMap(({ message, seq, isClosing, isBroken }) =>
    isClosing || isBroken ? [] : (itemOf(message, seq) ?? []),
  )
  const first = items.findIndex(text => text.startsWith('assistant'))
  // A reply with calls is whole: the turn waits for their results.
  return first >= 0 && (items[first]!.startsWith('assistant!') || first < items.length - 1)
}

/** Waits while a turn of a thread is answered. `wasHeld`: one was, so the log may have grown. */
export async function untilFree({ log, signal }: Inquiry, thread: ThreadKey, mostMs: number) {
  const open = log.history.thread(thread.conversation, thread)
  for (let waited = 0, pause = 5, wasHeld = false; ; pause = Math.min(200, pause * 2)) {
    const status = await open.status()
    if (status.state !== 'open' || waited >= mostMs)
      return { ...status, wasHeld: wasHeld && status.state !== 'open' }
    wasHeld = true
    await sleep(pause, signal)
    waited += pause
  }
}

const orders = new WeakMap<Store, ReturnType<typeof oneByOne>>()

/**
 * Waits while this process answers a request with the same key: the log then has the answer to this one too. Resolves with a
 * function that lets the next one go on; rejects when the client leaves. The wait is limited.
 */
export async function untilAlone(inquiry: Inquiry): Promise<() => void> {
  const key = keyOf(inquiry)
  if (key === undefined) return () => {}
  const { store, tenant } = inquiry.log
  const order = orders.get(store) ?? oneByOne()
  orders.set(store, order)
  const { conversation } = knownClient(inquiry.request, inquiry.headers) ?? {}
  const name = JSON.stringify([tenant, inquiry.keyId, key, conversation])
  return order(name, before => orAborted(within(before, patienceOf(inquiry)), inquiry.signal))
}

/**
 * A new conversation or branch is named after the idempotency key: two servers on one store that get the same request at once
 * cannot both begin one.
 */
export function placeOfKey(inquiry: Inquiry, place: LogPlace): LogPlace {
  const key = keyOf(inquiry)
  const { kind, thread, fork, isNamed, isSide } = place
  if (key === undefined || isSide) return place
  if (kind === 'new' && !isNamed)
    return { ...place, thread: { ...thread, conversation: nameOf(inquiry, key) }, head: 0 }
  if (!fork) return place
  return { ...place, thread: { ...thread, branch: nameOf(inquiry, key, fork) }, head: fork.at }
}

/** A name that looks like every other id. */
function nameOf({ log, keyId }: Inquiry, ...of: readonly unknown[]): string {
  const text = JSON.stringify([log.tenant, keyId, ...of])
  const hash = createHash('sha256').update(text).digest('hex')
  const cuts = [0, 8, 12, 16, 20, 32]
  return cuts
    .slice(1)
    .map((end, at) => hash.slice(cuts[at], end))
    .join('-')
}
