import type { LoggedMessage } from '../../history/index.ts'
import { listLog, readLog } from '../../history/log/read-log.ts'
import type { MessageLike } from '../../log/message.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { ThreadKey } from '../../stores/store.ts'
import { type Item, itemsOf } from '../identity/chain.ts'
import { comparedOf, isGiven } from '../identity/item.ts'
import { walkOn } from '../identity/walk.ts'
import { type Asked, type Log, sourceOf } from './asked.ts'
import { linesOf } from './delta-place.ts'
import { findReply } from './find-reply.ts'
import type { Again, Place } from './place.ts'
import { hasReply, isLeft, isRetry, isRetryOf, keyOf, leftPlace, patienceOf } from './retry.ts'
import { untilFree } from './until-free.ts'

export interface ToGoOn {
  /** The id of the reply that the request goes on from. */
  readonly previous: string
  /** What the request brings. */
  readonly messages: readonly MessageLike[]
  readonly scope: string
}

/**
 * The place of a request that goes on from a reply: the end of its thread, or a branch that leaves right behind the reply.
 * A branch cannot begin inside of a turn: where the reply waits for results of tools and the turn went on without this
 * request, the branch begins before the turn and repeats it up to the reply.
 */
export async function previousPlace(asked: Asked, given: ToGoOn): Promise<Place | Again> {
  const { previous, messages, scope } = given
  const { log } = asked
  const found = await findReply(log, previous)
  if (!found) throw noPrevious(previous)
  const { thread, entry } = found
  const status = await untilFree(asked, thread, patienceOf(asked))
  const head = await log.store.head(thread)
  const turn = (await log.store.turns(thread)).findLast(({ first }) => first <= entry.seq)
  if (!head || !turn) throw noPrevious(previous)
  const why = 'named by previous_response_id; the body holds what is new'
  const common = { scope, isSide: false, isNamed: false, isDelta: true, why, from: 0, front: 'cut' } as const
  const isLast = turn.last === head.head
  const isOpen = turn.status === 'open'
  const source = sourceOf(log, thread)
  const after = await listLog(source, { from: entry.seq + 1, to: turn.last })
  const isTurnsEnd = isOpen ? !after.some(isClients) : turn.status === 'completed' && !after.some(isReply)
  if (isRetry(asked) || status.state === 'interrupted') {
    const from = isTurnsEnd && !isOpen ? turn.last : entry.seq
    // A request with another key may have been answered behind the same reply, each on a branch of its own.
    const lines = keyOf(asked) === undefined ? [thread] : await linesOf(log, thread)
    for (const line of lines) {
      const { walk, turn: last } = await findAgain(log, line, from, messages)
      const isAgain = last && walk.hasMore && (await isRetryOf(asked, line, last))
      if (isAgain && (await hasReply(asked, line, walk.at, last)))
        return { kind: 'again', thread: line, after: walk.at, turn: last.turn }
      if (last && line.branch === thread.branch && !walk.hasMore && isLeft(last, status))
        return leftPlace({ ...common, thread, items: [], messages }, why)
    }
  }
  if (isTurnsEnd) {
    const items = [...(await itemBefore(log, thread, entry.seq + 1)), ...itemsOf(messages)]
    if (isLast) return { ...common, kind: 'extends', thread, head: head.head, items, messages }
    if (!isOpen) return { ...common, kind: 'branches', ...forkOf(asked, thread, turn.last), items, messages }
  }
  const repeated = (await listLog(source, { from: turn.first, to: entry.seq })).filter(isSaid)
  const all = [...repeated.map(({ view }) => view), ...messages]
  return {
    ...common,
    kind: 'branches',
    ...forkOf(asked, thread, turn.first - 1),
    items: [...(await itemBefore(log, thread, turn.first)), ...itemsOf(all)],
    messages: all,
    repeated: repeated.length,
  }
}

const forkOf = ({ newId }: Asked, of: ThreadKey, at: number) => ({
  thread: { ...of, branch: newId() },
  fork: { of, at },
})

/** The newest message before a place that clients send again: it tells the messages that follow from equal ones elsewhere. */
async function itemBefore(log: Log, thread: ThreadKey, seq: number): Promise<readonly Item[]> {
  for await (const entry of readLog(sourceOf(log, thread), { to: seq - 1, reverse: true })) {
    const said = entry.isClosing || entry.isBroken ? undefined : comparedOf(entry.message, entry.seq)
    if (said) return [{ index: -1, ...said }]
  }
  return []
}

/** How far a thread has the same messages behind the same reply, and their turn if it has all of them. */
async function findAgain(
  { store, history }: Log,
  thread: ThreadKey,
  at: number,
  messages: readonly MessageLike[],
) {
  const items = itemsOf(messages)
  const walk = await walkOn({ store, count: history.count }, items, { thread, item: -1, at, front: 'cut' })
  const turn = (await store.turns(thread)).findLast(({ first }) => first <= walk.at)
  return { walk, turn: walk.items < items.length ? undefined : turn }
}

const isReply = ({ message, isClosing, isBroken }: LoggedMessage) =>
  message.role === 'assistant' && !isClosing && !isBroken

/** Whether a client or the model said it: not the results of our own tools, not notes. */
const isClients = (entry: LoggedMessage) => isReply(entry) || isGiven(entry)

const isSaid = ({ message, isClosing, isBroken }: LoggedMessage) =>
  !isClosing && !isBroken && message.role !== 'assistant_note'

const noPrevious = (previous: string) =>
  new NotFoundError(
    'previous_response_not_found',
    `Previous response with id 'resp_${previous.slice(0, 100)}' not found.`,
    'previous_response_id',
  )
