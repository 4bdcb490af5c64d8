import { mainBranch } from '../../history/log/read-log.ts'
import { sideName } from '../../history/side-name.ts'
import { ThroughlineError } from '../../log/error.ts'
import { type Item, itemsOf } from '../identity/chain.ts'
import { knownClient, type NamedConversation } from '../identity/known-client.ts'
import { leaving, type Placement, recognise } from '../identity/recognise.ts'
import { sideRequest } from '../identity/side-request.ts'
import { NotFoundError } from '../not-found-error.ts'
import type { Asked } from './asked.ts'
import type { Again, Place } from './place.ts'
import { previousPlace } from './previous-place.ts'
import { untilFree } from './until-free.ts'
import { withReferences } from './with-references.ts'

/** Finds the place of a request in the log. */
export async function findPlace(asked: Asked): Promise<Place | Again> {
  const { request, headers, keyId, log, newId } = asked
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const messages = await withReferences(asked)
  const actor = named?.actor ?? 'assistant'
  const scope = named ? [keyId, named.conversation, actor].join('\n') : keyId
  const { previous } = request.named
  if (previous !== undefined) {
    const patienceMs = isRetry(asked) ? longestRetry : shortPause
    return previousPlace(asked, { previous, messages, scope, patienceMs, isRetry: isRetry(asked) })
  }
  const items = itemsOf(messages)
  if (named?.isDelta) return deltaPlace(asked, named, { messages, items, scope })
  const known = { ...log, count: log.history.count, scope, items, newId }
  const toRecognise = { ...known, ...(named && { named: { conversation: named.conversation, actor } }) }
  const isSide = side !== undefined
  const toPlace = { items, scope, isSide, isNamed: named !== undefined, isDelta: false, messages, newId }
  for (let tries = 0; ; tries++) {
    const found = await recognise(toRecognise)
    const why = [side && `a side request: ${side}`, found.why, named && `named by ${named.how}`]
    const said = why.filter(part => part !== undefined).join('; ')
    if (found.kind === 'new' || found.kind === 'branches') return settle(toPlace, found, said)
    const { walk } = found
    const isRetried = found.kind === 'repeats' && isRetry(asked)
    const status = await untilFree(asked, walk.thread, isRetried ? longestRetry : shortPause)
    // What was being written is in the log now.
    if (status.wasHeld && tries < 3) continue
    if (found.kind === 'extends' && side === undefined && status.state !== 'open')
      return settle(toPlace, found, said)
    const turns = await log.store.turns(walk.thread)
    const turn = turns.findLast(({ first }) => first <= walk.at)
    if (isRetried && turn?.status === 'completed')
      return { kind: 'again', thread: walk.thread, after: walk.at, turn: turn.turn }
    const isRepeat = found.kind === 'repeats'
    const branch = await leaving(known, walk, said, { isBeforeTurn: isRepeat })
    return settle(toPlace, branch, isRepeat ? `${said}; answered once more, on a branch` : said)
  }
}

/** How long a request waits for a turn that is being answered: a client that cancels goes on at once. */
const shortPause = 2_000
/** How long a repeated request waits for the answer to the first one. */
const longestRetry = 600_000

/** Whether a client library says that it sends a request again. */
const isRetry = ({ headers }: Asked): boolean =>
  Number(headers['x-stainless-retry-count'] ?? 0) > 0 || headers['idempotency-key'] !== undefined

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
      return { ...rest, kind: 'extends', thread: walk.thread, from: firstOf(rest.items, walk.items), why }
    }
    case 'branches': {
      const { of, at, from } = found
      if (rest.isSide && at === 0) {
        const thread = { ...of, conversation: sideName(newId()), branch: mainBranch }
        return { ...rest, kind: 'new', thread, beside: of.conversation, from: 0, why }
      }
      const thread = { ...of, branch: rest.isSide ? sideName(newId()) : newId() }
      return { ...rest, kind: 'branches', thread, fork: { of, at }, from: firstOf(rest.items, from), why }
    }
  }
}

/** The index of the first message behind the items that are known. A system message before a new one is new. */
const firstOf = (items: readonly Item[], known: number) => (known === 0 ? 0 : items[known - 1]!.index + 1)

/** The client names the conversation, and sends only what is new. */
async function deltaPlace(
  asked: Asked,
  { conversation, actor = 'assistant', how }: NamedConversation,
  given: Pick<Place, 'messages' | 'items' | 'scope'>,
): Promise<Place | Again> {
  const { store, tenant } = asked.log
  const thread = { tenant, conversation, actor, branch: 'main' }
  const key = asked.headers['idempotency-key']
  await untilFree(asked, thread, key === undefined ? shortPause : longestRetry)
  const known = key === undefined ? undefined : (await store.turns(thread)).find(turn => turn.key === key)
  // A turn that waits for the client's tools has its reply too.
  if (known?.status === 'completed' || (known?.status === 'open' && known.last > known.first))
    return { kind: 'again', thread, after: known.first, turn: known.turn }
  if (known) {
    const problem = `The request with this idempotency-key did not come to an answer (${known.error ?? known.status})`
    throw new ThroughlineError('turn_failed', `${problem}: send it with another key.`)
  }
  const head = await store.head(thread)
  if (!head && asked.request.named.conversation === conversation && conversation.startsWith('conv_'))
    throw new NotFoundError(
      'conversation_not_found',
      `Conversation with id '${conversation.slice(0, 100)}' not found.`,
      'conversation',
    )
  return {
    ...given,
    kind: head ? 'extends' : 'new',
    thread,
    from: 0,
    isSide: false,
    isNamed: true,
    isDelta: true,
    why: `named by ${how}; the body holds what is new`,
  }
}
