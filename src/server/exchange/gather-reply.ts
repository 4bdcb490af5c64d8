import type { LoggedMessage } from '../../history/index.ts'
import { listLog, readLog } from '../../history/log/read-log.ts'
import type { MessageLike } from '../../log/message.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { ThreadKey } from '../../stores/store.ts'
import { itemsOf, type ListItem } from '../identity/chain.ts'
import { comparedOf, isGiven, isSaid } from '../identity/item.ts'
import { walkOn } from '../identity/walk.ts'
import type { ReplyFacts } from './decide.ts'
import { findReply } from './find-reply.ts'
import { linesOf } from './gather-end.ts'
import { type Inquiry, type Log, sourceOf } from './inquiry.ts'
import type { ClientList } from './log-place.ts'
import { hasReply, isLeft, isRetry, isRetryOf, keyOf, patienceOf, untilFree } from './retry.ts'

/** What the log says of a request that goes on from a reply. */
export async function gatherReply(
  inquiry: Inquiry,
  /** The id of the reply. */
  previous: string,
  { messages, scope }: Pick<ClientList, 'messages' | 'scope'>,
): Promise<ReplyFacts> {
  const { log } = inquiry
  const { thread, entry } = (await findReply(log, previous)) ?? noPrevious(previous)
  const status = await untilFree(inquiry, thread, patienceOf(inquiry))
  const head = (await log.store.head(thread)) ?? noPrevious(previous)
  const turns = await log.store.turns(thread)
  const turn = turns.findLast(({ first }) => first <= entry.seq) ?? noPrevious(previous)
  const isLast = turn.last === head.head
  const isOpen = turn.status === 'open'
  const source = sourceOf(log, thread)
  const after = await listLog(source, { from: entry.seq + 1, to: turn.last })
  const isTurnsEnd = isOpen ? !after.some(isClients) : turn.status === 'completed' && !after.some(isReply)
  const why = 'named by previous_response_id; the body holds what is new'
  const list = { messages, items: [], scope, isSide: false, isNamed: false, isDelta: true }
  const facts = { by: 'reply', thread, turn, isLast, why } as const
  if (isRetry(inquiry) || status.state === 'interrupted') {
    const from = isTurnsEnd && !isOpen ? turn.last : entry.seq
    // A request with another key may have been answered behind the same reply, each on a branch of its own.
    const lines = keyOf(inquiry) === undefined ? [thread] : await linesOf(log, thread)
    for (const line of lines) {
      const { walk, turn: last } = await walkBehind(log, line, from, messages)
      if (!last) continue
      const isAgain = walk.hasMore && (await isRetryOf(inquiry, line, last))
      if (isAgain && (await hasReply(inquiry, line, walk.at, last)))
        return { ...facts, list, earlier: { kind: 'again', thread: line, after: walk.at, turn: last.turn } }
      if (line.branch === thread.branch && !walk.hasMore && isLeft(last, status))
        return { ...facts, list, earlier: 'left' }
    }
  }
  if (isTurnsEnd && (isLast || !isOpen)) {
    const items = [...(await itemBefore(log, thread, entry.seq + 1)), ...itemsOf(messages)]
    return { ...facts, list: { ...list, items } }
  }
  const repeated = (await listLog(source, { from: turn.first, to: entry.seq })).filter(isSaid)
  const all = [...repeated.map(({ view }) => view), ...messages]
  const items = [...(await itemBefore(log, thread, turn.first)), ...itemsOf(all)]
  return { ...facts, list: { ...list, items, messages: all }, repeated: repeated.length }
}

/** The newest message before a place that clients send again: it tells the messages that follow from equal ones elsewhere. */
async function itemBefore(log: Log, thread: ThreadKey, seq: number): Promise<readonly ListItem[]> {
  for await (const entry of readLog(sourceOf(log, thread), { to: seq - 1, reverse: true })) {
    const compared = entry.isClosing || entry.isBroken ? undefined : comparedOf(entry.message, entry.seq)
    if (compared) return [{ index: -1, ...compared }]
  }
  return []
}

/** How far a thread has the same messages behind the same reply, and their turn if it has all of them. */
async function walkBehind(
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

function noPrevious(previous: string): never {
  throw new NotFoundError(
    'previous_response_not_found',
    `Previous response with id 'resp_${previous.slice(0, 100)}' not found.`,
    'previous_response_id',
  )
}
