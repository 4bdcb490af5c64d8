import type { ThreadStatus } from '../../history/index.ts'
import type { MessageLike } from '../../log/message.ts'
import { type Item, isUser, itemsOf, scopeOf } from '../identity/chain.ts'
import { knownClient } from '../identity/known-client.ts'
import { leaving, type Placement, recognise } from '../identity/recognise.ts'
import { sideRequest } from '../identity/side-request.ts'
import { agentThread } from './agent-place.ts'
import type { Asked } from './asked.ts'
import type { Facts, Match, PastFacts } from './facts.ts'
import { gatherEnd, linesOf } from './gather-end.ts'
import { gatherReply } from './gather-reply.ts'
import { hasReply, isLeft, isRecent, isRetry, isRetryOf, keyOf, patienceOf, shortPause } from './retry.ts'
import { untilFree } from './until-free.ts'

/** Finds out what the log says of a request. Waits for a turn that is being answered there. */
export async function gather(asked: Asked, messages: readonly MessageLike[]): Promise<Facts> {
  const { request, headers, keyId, log, newId } = asked
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const actor = named?.actor ?? 'assistant'
  const scope = scopeOf(keyId, named && { conversation: named.conversation, actor })
  const { previous } = request.named
  if (previous !== undefined) return gatherReply(asked, { previous, messages, scope })
  const items = itemsOf(messages)
  const isSide = side !== undefined
  const isDelta = !isSide && named !== undefined && named.isDelta
  const list = { messages, items, scope, isSide, isDelta, isNamed: named !== undefined }
  if (isDelta && !hasPast(items)) return gatherEnd(asked, named, list)
  const lookup = { ...log, count: log.history.count, scope, items, newId, mayBeRetry: isRetry(asked) }
  for (let tries = 0; ; tries++) {
    const found = await recognise({
      ...lookup,
      named: named && { conversation: named.conversation, actor },
    })
    const parts = [side && `a side request: ${side}`, found.why, named && `named by ${named.how}`]
    const why = parts.filter(part => part !== undefined).join('; ')
    const facts = (match: Match): Facts => ({ by: 'list', list, match, why })
    if (found.kind === 'branches')
      return facts({ ...found, newest: isDelta ? (await linesOf(log, found.of))[0] : undefined })
    if (found.kind === 'new')
      return facts({ ...found, agent: isSide || named ? undefined : await agentThread(asked, items) })
    const isRepeat = found.kind === 'repeats'
    const patience = isRepeat ? patienceOf(asked) : shortPause
    const status = await untilFree(asked, found.walk.thread, patience)
    // What was being written is in the log now.
    if (status.wasHeld && tries < 3) continue
    const isFree = !isRepeat && !isSide && status.state !== 'open'
    return facts({ ...found, past: isFree ? undefined : await gatherPast(asked, found, status) })
  }
}

/** Whether a list brings what was said before: answers after the messages that they answer. */
function hasPast(items: readonly Item[]): boolean {
  const first = items.findIndex(isUser)
  return first >= 0 && items.slice(first).some(({ text }) => text.startsWith('assistant'))
}

async function gatherPast(
  asked: Asked,
  { kind, walk, why }: Extract<Placement, { kind: 'extends' | 'repeats' }>,
  status: ThreadStatus,
): Promise<PastFacts> {
  const { store, history } = asked.log
  const { thread, at, hasMore } = walk
  const isRepeat = kind === 'repeats'
  const turns = await store.turns(thread)
  const turn = isRepeat ? turns.findLast(({ first }) => first <= at) : undefined
  const retried = turn && (await isRetryOf(asked, thread, turn)) ? turn : undefined
  return {
    retried,
    // A key says that it is the same request, whatever was said since; a count says so only for a while.
    isSure:
      retried !== undefined &&
      (keyOf(asked) !== undefined || (turns.length === 1 && isRecent(asked, retried))),
    hasReply: retried !== undefined && (await hasReply(asked, thread, at, retried)),
    isLeft: !hasMore && turn !== undefined && isLeft(turn, status),
    branch: await leaving({ store, count: history.count }, walk, why, { isBeforeTurn: isRepeat }),
  }
}
