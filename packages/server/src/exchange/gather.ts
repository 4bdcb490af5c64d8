import type { LoggedMessage } from '@throughline/history'
import { linesOf, listLog, mainBranch, readLog } from '@throughline/history/log'
import { responseId, unknownId } from '@throughline/models/ids'
import type { ThreadKey } from '@throughline/stores/store'
import { agreement, isReply, isUser } from '../identity/agreement.ts'
import { scopeOf } from '../identity/chain.ts'
import { type ClientMessage, clientMessage } from '../identity/client-message.ts'
import { isGiven, isSaid, itemsOf, type ListItem, wholeIn } from '../identity/item.ts'
import { knownClient, type NamedConversation, sideRequest } from '../identity/known-client.ts'
import { recognise } from '../identity/recognise.ts'
import { branchPlace } from '../identity/walk.ts'
import { agentThread } from './agent-place.ts'
import type { EndFacts, Facts, ListMatch, ReplyFacts } from './decide.ts'
import { type ClientList, type Inquiry, type Log, sourceOf } from './inquiry.ts'
import { findReply } from './kept-reply.ts'
import { findAtEnd, findBehind, findInTurn, isRetry, shortPause, untilFree } from './retry.ts'

/** Finds out what the log says of a request. Waits for a turn that is being answered there. */
export async function gather(inquiry: Inquiry, messages: readonly ClientMessage[]): Promise<Facts> {
  const { request, headers, keyId, log, newId } = inquiry
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const isSide = side !== undefined
  const isDelta = !isSide && named !== undefined && named.isDelta
  const items = itemsOf(messages)
  const scope = scopeOf(keyId, named)
  const isPast = hasPast(items)
  const list = {
    messages,
    items,
    scope,
    isSide,
    isDelta,
    hasPast: isPast,
    isNamed: named !== undefined,
  }
  const { previous } = request.named
  if (previous !== undefined) return gatherReply(inquiry, previous, list)
  if (isDelta && !isPast) return gatherEnd(inquiry, named, list)
  const { store, tenant, history } = log
  const { count } = history
  const calls = newestCalls(messages)
  const lookup = {
    store,
    tenant,
    count,
    scope,
    items,
    newId,
    mayBeRetry: isRetry(inquiry),
    named,
    calls,
  }
  for (let tries = 0; ; tries++) {
    const placement = await recognise(lookup)
    const parts = [
      side && `a side request: ${side}`,
      placement.why,
      named && `named by ${named.how}`,
    ]
    const why = parts.filter(part => part !== undefined).join('; ')
    const facts = (match: ListMatch): Facts => ({ by: 'list', list, match, why })
    if (placement.kind === 'new')
      return facts({
        ...placement,
        agent: isSide || named ? undefined : await agentThread(inquiry, items),
      })
    if (placement.kind === 'branches') {
      if (!isDelta) return facts(placement)
      const [newest = placement.of] = await linesOf(store, placement.of)
      return facts({
        ...placement,
        newest,
        from: (await endIn(log, newest, items)) ?? placement.from,
      })
    }
    const { kind, walk } = placement
    const isRepeat = kind === 'repeats'
    const status = await untilFree(inquiry, walk.thread, isRepeat ? undefined : shortPause)
    // What was being written is in the log now.
    if (status.wasHeld && tries < 3) continue
    if (!isRepeat && !isSide && status.state !== 'open') return facts(placement)
    const earlier = await findInTurn(inquiry, placement, status)
    return facts({
      ...placement,
      past: { ...earlier, branch: await branchPlace(lookup, walk, isRepeat) },
    })
  }
}

/** How many items of a list stand in a line whose last reply they hold. Undefined if that is another one. */
async function endIn(
  log: Log,
  line: ThreadKey,
  items: readonly ListItem[],
): Promise<number | undefined> {
  const reply = items.findLastIndex(isReply)
  const [last] = await itemBefore(log, line, Number.MAX_SAFE_INTEGER)
  return reply >= 0 && last && agreement(last, items[reply]!) ? reply + 1 : undefined
}

/** The ids of the newest calls of a list. */
function newestCalls(messages: readonly ClientMessage[]): readonly string[] {
  const newest = messages.findLast(({ reading }) => reading.calls.length > 0)
  const ids = (newest?.reading.calls ?? []).map(({ id }) => id)
  return ids.filter(id => id !== undefined).slice(0, mostCalls)
}

/** A reply with thousands of calls is looked up by a few. */
const mostCalls = 8

/** Whether a list brings what was said before: answers after the messages that they answer. */
export function hasPast(items: readonly ListItem[]): boolean {
  const first = items.findIndex(isUser)
  return first >= 0 && items.slice(first).some(isReply)
}

/** What the log says of a request whose client names the conversation and sends only what is new. */
async function gatherEnd(
  inquiry: Inquiry,
  { conversation, actor, how }: NamedConversation,
  list: ClientList,
): Promise<EndFacts> {
  const main = { tenant: inquiry.log.tenant, conversation, actor, branch: mainBranch }
  const lines = await linesOf(inquiry.log.store, main)
  const [thread = main] = lines
  // Conversations of the Responses API are made before they are named.
  const isMade =
    inquiry.request.named.conversation === conversation && conversation.startsWith('conv_')
  return {
    by: 'end',
    list,
    thread,
    conversation: lines.length > 0 ? 'there' : isMade ? 'missing' : 'new',
    earlier: await findAtEnd(inquiry, thread, lines, list),
    why: `named by ${how}; the body holds what is new`,
  }
}

/** What the log says of a request that goes on from a reply. `previous`: its id. */
async function gatherReply(
  inquiry: Inquiry,
  previous: string,
  brought: ClientList,
): Promise<ReplyFacts> {
  const { log } = inquiry
  const { thread, entry } = (await findReply(log, previous)) ?? noPrevious(previous)
  const status = await untilFree(inquiry, thread)
  const head = (await log.store.head(thread)) ?? noPrevious(previous)
  const turns = await log.store.turns(thread)
  const turn = turns.findLast(({ first }) => first <= entry.seq) ?? noPrevious(previous)
  const isLast = turn.last === head.head
  const isOpen = turn.status === 'open'
  const source = sourceOf(log, thread)
  const after = await listLog(source, { from: entry.seq + 1, to: turn.last })
  const isTurnsEnd = isOpen
    ? !after.some(one => isWhole(one) || isGiven(one))
    : turn.status === 'completed' && !after.some(isWhole)
  const list = {
    ...brought,
    items: [],
    isSide: false,
    isNamed: false,
    isDelta: true,
    hasPast: false,
  }
  const why = 'named by previous_response_id; the body holds what is new'
  const facts = { by: 'reply', list, thread, turn, isLast, why } as const
  const start = {
    thread,
    item: -1,
    at: isTurnsEnd && !isOpen ? turn.last : entry.seq,
    front: 'cut',
  } as const
  const earlier = await findBehind(inquiry, start, status, brought)
  if (earlier) return { ...facts, earlier }
  const isBehind = isTurnsEnd && (isLast || !isOpen)
  const repeated = isBehind
    ? undefined
    : (await listLog(source, { from: turn.first, to: entry.seq })).filter(isSaid)
  const messages = [
    ...(repeated ?? []).map(({ view, seq }) => clientMessage(view, seq)),
    ...brought.messages,
  ]
  const before = await itemBefore(log, thread, isBehind ? entry.seq + 1 : turn.first)
  return {
    ...facts,
    list: { ...list, messages, items: [...before, ...itemsOf(messages)] },
    repeated: repeated?.length,
  }
}

/** The newest message before a place that clients send again: it tells the messages that follow from equal ones elsewhere. */
async function itemBefore(log: Log, thread: ThreadKey, seq: number): Promise<readonly ListItem[]> {
  for await (const entry of readLog(sourceOf(log, thread), { to: seq - 1, reverse: true })) {
    const compared = wholeIn(entry)
    if (compared) return [{ index: -1, ...compared }]
  }
  return []
}

/** Whether it is a reply that came to its end. */
const isWhole = ({ message, isClosing, isBroken }: LoggedMessage) =>
  message.role === 'assistant' && !isClosing && !isBroken

function noPrevious(previous: string): never {
  throw unknownId('Previous response', responseId(previous), 'previous_response_id')
}
