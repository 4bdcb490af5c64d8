import { mainBranch } from '../../history/log/read-log.ts'
import { sideName } from '../../history/side-name.ts'
import { plural } from '../../log/line.ts'
import type { MessageLike } from '../../log/message.ts'
import { addedMessages } from '../identity/added-messages.ts'
import { type Front, type Item, isUser, itemsOf, scopeOf } from '../identity/chain.ts'
import { knownClient } from '../identity/known-client.ts'
import { isNew, leaving, type Placement, recognise } from '../identity/recognise.ts'
import { sideRequest } from '../identity/side-request.ts'
import { agentThread } from './agent-place.ts'
import type { Asked } from './asked.ts'
import { deltaPlace, linesOf } from './delta-place.ts'
import type { Again, Place } from './place.ts'
import { previousPlace } from './previous-place.ts'
import {
  hasReply,
  isLeft,
  isRecent,
  isRetry,
  isRetryOf,
  keyOf,
  leftPlace,
  patienceOf,
  shortPause,
} from './retry.ts'
import { untilFree } from './until-free.ts'
import { withReferences } from './with-references.ts'

/**
 * Finds the place of a request in the log. Messages that `fit` has added at the client are not part of what was said, unless
 * the log has them: then a user has said the same.
 */
export async function findPlace(asked: Asked): Promise<Place | Again> {
  const messages = await withReferences(asked)
  const added = addedMessages(messages)
  const found = await placeOf(asked, messages)
  if (added.size === 0 || found.kind === 'again') return found
  if (found.kind === 'extends' && [...added].every(at => at < found.from)) return found
  const rest = await placeOf(
    asked,
    messages.filter((_, at) => !added.has(at)),
  )
  if (rest.kind === 'again') return rest
  // The log has nothing of this conversation: what was recalled for it stands nowhere else.
  if (rest.kind === 'new') return found
  return { ...rest, why: `${rest.why}; ${plural(added.size, 'message')} that Throughline had added left out` }
}

async function placeOf(asked: Asked, messages: readonly MessageLike[]): Promise<Place | Again> {
  const { request, headers, keyId, log, newId } = asked
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const actor = named?.actor ?? 'assistant'
  const scope = scopeOf(keyId, named && { conversation: named.conversation, actor })
  const { previous } = request.named
  if (previous !== undefined) return previousPlace(asked, { previous, messages, scope })
  const items = itemsOf(messages)
  const isSide = side !== undefined
  const isDelta = !isSide && named !== undefined && named.isDelta
  if (isDelta && !hasPast(items)) return deltaPlace(asked, named, { messages, items, scope })
  const known = { ...log, count: log.history.count, scope, items, newId }
  const toRecognise = {
    ...{ ...known, mayBeRetry: isRetry(asked) },
    ...(named && { named: { conversation: named.conversation, actor } }),
  }
  const toPlace = { items, scope, isSide, isNamed: named !== undefined, isDelta, messages, newId }
  for (let tries = 0; ; tries++) {
    const found = await recognise(toRecognise)
    const why = [side && `a side request: ${side}`, found.why, named && `named by ${named.how}`]
    const said = why.filter(part => part !== undefined).join('; ')
    if (found.kind === 'branches' && isDelta) return endPlace(log, toPlace, found, said)
    const agent = found.kind === 'new' && !isSide && !named ? await agentThread(asked, items) : undefined
    if (agent) {
      const why = 'it begins with the task that a call of this conversation gave to an agent'
      return settle({ ...toPlace, isNamed: true }, { kind: 'new', thread: agent, why }, why)
    }
    if (found.kind === 'new' || found.kind === 'branches') return settle(toPlace, found, said)
    const { walk } = found
    const isRepeat = found.kind === 'repeats'
    const status = await untilFree(asked, walk.thread, isRepeat ? patienceOf(asked) : shortPause)
    // What was being written is in the log now.
    if (status.wasHeld && tries < 3) continue
    if (found.kind === 'extends' && !isSide && status.state !== 'open') return settle(toPlace, found, said)
    const turns = await log.store.turns(walk.thread)
    const turn = turns.findLast(({ first }) => first <= walk.at)
    const retried = isRepeat && turn && (await isRetryOf(asked, walk.thread, turn)) ? turn : undefined
    // A key says that it is the same request, whatever was said since; a count says so only for a while.
    const isSure = retried && (keyOf(asked) !== undefined || (turns.length === 1 && isRecent(asked, retried)))
    if (isRepeat && found.isGreeting && !isSure) return settle(toPlace, isNew(toRecognise, found.why), said)
    if (retried && (await hasReply(asked, walk.thread, walk.at, retried)))
      return { kind: 'again', thread: walk.thread, after: walk.at, turn: retried.turn }
    if (isRepeat && !isSide && !walk.hasMore && turn && isLeft(turn, status))
      return leftPlace({ ...toPlace, thread: walk.thread }, said)
    const branch = await leaving(known, walk, said, { isBeforeTurn: isRepeat })
    return settle(toPlace, branch, isRepeat ? `${said}; answered once more, on a branch` : said)
  }
}

/** Whether a list brings what was said before: answers after the messages that they answer. */
function hasPast(items: readonly Item[]): boolean {
  const first = items.findIndex(isUser)
  return first >= 0 && items.slice(first).some(({ text }) => text.startsWith('assistant'))
}

/** A list that brings what was said before, for a conversation that is gone on with at its end: the rest of it is new. */
async function endPlace(
  log: Asked['log'],
  { newId: _, ...rest }: ToPlace,
  { of, from }: Extract<Placement, { kind: 'branches' }>,
  why: string,
): Promise<Place> {
  const [thread = of] = await linesOf(log, of)
  return { ...rest, kind: 'extends', thread, from: firstOf(rest.items, from), why }
}

interface ToPlace extends Pick<Place, 'items' | 'scope' | 'isSide' | 'isNamed' | 'isDelta' | 'messages'> {
  readonly newId: () => string
}

function settle(
  { newId, ...rest }: ToPlace,
  found: Exclude<Placement, { kind: 'repeats' }>,
  why: string,
): Place {
  switch (found.kind) {
    case 'new': {
      // A conversation that begins with a side request is none: lists leave it out, and it is deleted after a while.
      const conversation = rest.isSide ? sideName(newId()) : found.thread.conversation
      return { ...rest, kind: 'new', thread: { ...found.thread, conversation }, from: 0, why }
    }
    case 'extends': {
      const { walk } = found
      const { thread, end: head, items } = walk
      const front = frontOf(walk.front, rest)
      return { ...rest, kind: 'extends', thread, head, front, from: firstOf(rest.items, items), why }
    }
    case 'branches': {
      const { of, at, from } = found
      if (rest.isSide && at === 0) {
        const thread = { ...of, conversation: sideName(newId()), branch: mainBranch }
        return { ...rest, kind: 'new', thread, beside: of.conversation, from: 0, why }
      }
      const thread = { ...of, branch: rest.isSide ? sideName(newId()) : newId() }
      const place = { ...rest, thread, front: frontOf(found.front, rest), from: firstOf(rest.items, from) }
      return { ...place, kind: 'branches', fork: { of, at }, why }
    }
  }
}

/** In a conversation that its client names, whatever was recognised once is recognised again. */
const frontOf = (front: Front, { isNamed }: ToPlace | Omit<ToPlace, 'newId'>): Front =>
  front === 'cut' && isNamed ? 'same' : front

/** The index of the first message behind the items that are known. A system message before a new one is new. */
const firstOf = (items: readonly Item[], known: number) => (known === 0 ? 0 : items[known - 1]!.index + 1)
