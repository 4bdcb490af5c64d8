import type { ThreadStatus } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { isUser, itemsOf, type ListItem, scopeOf } from '../identity/chain.ts'
import { knownClient } from '../identity/known-client.ts'
import { leaving, type Placement, recognise } from '../identity/recognise.ts'
import { sideRequest } from '../identity/side-request.ts'
import { agentThread } from './agent-place.ts'
import type { Facts, ListMatch, PastFacts } from './decide.ts'
import { gatherEnd, linesOf } from './gather-end.ts'
import { gatherReply } from './gather-reply.ts'
import type { Inquiry } from './inquiry.ts'
import {
  hasReply,
  isLeft,
  isRecent,
  isRetry,
  isRetryOf,
  keyOf,
  patienceOf,
  shortPause,
  untilFree,
} from './retry.ts'

/** Finds out what the log says of a request. Waits for a turn that is being answered there. */
export async function gather(inquiry: Inquiry, messages: readonly MessageLike[]): Promise<Facts> {
  const { request, headers, keyId, log, newId } = inquiry
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const name = named && { conversation: named.conversation, actor: named.actor ?? 'assistant' }
  const scope = scopeOf(keyId, name)
  const { previous } = request.named
  if (previous !== undefined) return gatherReply(inquiry, previous, { messages, scope })
  const items = itemsOf(messages)
  const isSide = side !== undefined
  const isDelta = !isSide && named !== undefined && named.isDelta
  const list = { messages, items, scope, isSide, isDelta, isNamed: named !== undefined }
  if (isDelta && !hasPast(items)) return gatherEnd(inquiry, named, list)
  const { store, tenant, history } = log
  const mayBeRetry = isRetry(inquiry)
  const lookup = { store, tenant, count: history.count, scope, items, newId, mayBeRetry, named: name }
  for (let tries = 0; ; tries++) {
    const placement = await recognise(lookup)
    const parts = [side && `a side request: ${side}`, placement.why, named && `named by ${named.how}`]
    const why = parts.filter(part => part !== undefined).join('; ')
    const facts = (match: ListMatch): Facts => ({ by: 'list', list, match, why })
    if (placement.kind === 'branches')
      return facts({ ...placement, newest: isDelta ? (await linesOf(log, placement.of))[0] : undefined })
    if (placement.kind === 'new')
      return facts({ ...placement, agent: isSide || named ? undefined : await agentThread(inquiry, items) })
    const isRepeat = placement.kind === 'repeats'
    const patience = isRepeat ? patienceOf(inquiry) : shortPause
    const status = await untilFree(inquiry, placement.walk.thread, patience)
    // What was being written is in the log now.
    if (status.wasHeld && tries < 3) continue
    const isFree = !isRepeat && !isSide && status.state !== 'open'
    return facts({ ...placement, past: isFree ? undefined : await gatherPast(inquiry, placement, status) })
  }
}

/** Whether a list brings what was said before: answers after the messages that they answer. */
function hasPast(items: readonly ListItem[]): boolean {
  const first = items.findIndex(isUser)
  return first >= 0 && items.slice(first).some(({ text }) => text.startsWith('assistant'))
}

async function gatherPast(
  inquiry: Inquiry,
  { kind, walk, why }: Extract<Placement, { kind: 'extends' | 'repeats' }>,
  status: ThreadStatus,
): Promise<PastFacts> {
  const { store, history } = inquiry.log
  const { thread, at, hasMore } = walk
  const isRepeat = kind === 'repeats'
  const turns = await store.turns(thread)
  const turn = isRepeat ? turns.findLast(({ first }) => first <= at) : undefined
  const retried = turn && (await isRetryOf(inquiry, thread, turn)) ? turn : undefined
  return {
    retried,
    // A key says that it is the same request, whatever was said since; a count says so only for a while.
    isSure:
      retried !== undefined &&
      (keyOf(inquiry) !== undefined || (turns.length === 1 && isRecent(inquiry, retried))),
    hasReply: retried !== undefined && (await hasReply(inquiry, thread, at, retried)),
    isLeft: !hasMore && turn !== undefined && isLeft(turn, status),
    branch: await leaving({ store, count: history.count }, walk, why, { isBeforeTurn: isRepeat }),
  }
}
