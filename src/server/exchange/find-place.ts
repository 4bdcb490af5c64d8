import type { ThreadKey } from '../../stores/store.ts'
import { type Item, itemsOf } from '../identity/chain.ts'
import { knownClient, type NamedConversation } from '../identity/known-client.ts'
import { leaving, type Placement, recognise } from '../identity/recognise.ts'
import { sideRequest } from '../identity/side-request.ts'
import type { Asked } from './asked.ts'
import { untilFree } from './until-free.ts'

/** Where the messages of a request go. */
export interface Place {
  readonly kind: 'new' | 'extends' | 'branches'
  readonly thread: ThreadKey
  /** For a branch: what it leaves. */
  readonly fork?: { readonly of: ThreadKey; readonly at: number }
  /** The first message of the request that is not in the log. */
  readonly from: number
  readonly items: readonly Item[]
  readonly scope: string
  /** Whether it stands beside the conversation: a title, a summary. It is never taken for the conversation's end. */
  readonly isSide: boolean
  /** For people; holds no text of the conversation. */
  readonly why: string
}

/** An answer that is in the log already: the client lost it on the way, and asks again. */
export interface Again {
  readonly kind: 'again'
  readonly thread: ThreadKey
  /** The place of the last message that was asked. */
  readonly after: number
  readonly turn: number
}

/** Finds the place of a request in the log. */
export async function findPlace(asked: Asked): Promise<Place | Again> {
  const { request, headers, keyId, log, newId } = asked
  const side = sideRequest(request, headers)
  const named = knownClient(request, headers)
  const items = itemsOf(request.messages)
  if (named?.isDelta) return deltaPlace(asked, named, items)
  const actor = named?.actor ?? 'assistant'
  const scope = named ? [keyId, named.conversation, actor].join('\n') : keyId
  const known = { ...log, count: log.history.count, scope, items, newId }
  const toRecognise = { ...known, ...(named && { named: { conversation: named.conversation, actor } }) }
  const toPlace = { items, scope, isSide: side !== undefined, messages: request.messages, newId }
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

interface ToPlace extends Pick<Place, 'items' | 'scope' | 'isSide'> {
  readonly messages: readonly unknown[]
  readonly newId: () => string
}

function settle(
  { messages, newId, ...rest }: ToPlace,
  found: Exclude<Placement, { kind: 'repeats' }>,
  why: string,
): Place {
  switch (found.kind) {
    case 'new':
      return { ...rest, kind: 'new', thread: found.thread, from: 0, why }
    case 'extends': {
      const { walk } = found
      return { ...rest, kind: 'extends', thread: walk.thread, from: firstOf(rest.items, walk.items), why }
    }
    case 'branches': {
      const { of, at, from } = found
      const thread = { ...of, branch: newId() }
      return { ...rest, kind: 'branches', thread, fork: { of, at }, from: firstOf(rest.items, from), why }
    }
  }
}

/** The index of the first message behind the items that are known. A system message before a new one is new. */
const firstOf = (items: readonly Item[], known: number) => (known === 0 ? 0 : items[known - 1]!.index + 1)

/** The client names the conversation, and sends only what is new. */
async function deltaPlace(
  { log, keyId }: Asked,
  { conversation, actor = 'assistant', how }: NamedConversation,
  items: readonly Item[],
): Promise<Place> {
  const thread = { tenant: log.tenant, conversation, actor, branch: 'main' }
  const head = await log.store.head(thread)
  return {
    kind: head ? 'extends' : 'new',
    thread,
    from: 0,
    items,
    scope: [keyId, conversation, actor].join('\n'),
    isSide: false,
    why: `named by ${how}; the body holds what is new`,
  }
}
