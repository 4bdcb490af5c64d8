import { listLog, mainBranch } from '../../history/log/read-log.ts'
import { isSideName } from '../../history/side-name.ts'
import { NotFoundError } from '../../log/not-found-error.ts'
import type { StoredTurn, ThreadKey } from '../../stores/store.ts'
import { KeyReusedError } from '../../stores/store-error.ts'
import { agreement } from '../identity/agreement.ts'
import { type Item, isUser, itemsOf } from '../identity/chain.ts'
import { type Compared, comparedOf } from '../identity/item.ts'
import type { NamedConversation } from '../identity/known-client.ts'
import { type Asked, type Log, sourceOf } from './asked.ts'
import type { Again, Place } from './place.ts'
import { hasReply, isLeft, isRetry, isRetryOf, keyOf, leftPlace, patienceOf, turnOfKey } from './retry.ts'
import { untilFree } from './until-free.ts'

type Given = Pick<Place, 'messages' | 'items' | 'scope'>

/**
 * The place of a request whose client names the conversation and sends only what is new: the end of the branch that was
 * written to last. A request that comes again gets the reply of the first time. If that failed, the same turn is tried again;
 * if the conversation has gone on since, the turn is answered once more, on a branch that leaves before it.
 */
export async function deltaPlace(
  asked: Asked,
  { conversation, actor = 'assistant', how }: NamedConversation,
  given: Given,
): Promise<Place | Again> {
  const { tenant } = asked.log
  const main = { tenant, conversation, actor, branch: mainBranch }
  const lines = await linesOf(asked.log, main)
  const [thread = main] = lines
  const { state } = await untilFree(asked, thread, patienceOf(asked))
  const why = `named by ${how}; the body holds what is new`
  const place = { ...given, isSide: false, isNamed: true, isDelta: true, from: 0, why } as const
  const mayBeAgain = isRetry(asked) || state === 'interrupted'
  const retried = mayBeAgain ? await findRetried(asked, lines, given) : undefined
  if (retried && 'kind' in retried) return retried
  if (retried?.isLast && isLeft(retried.turn, await untilFree(asked, retried.thread, patienceOf(asked))))
    return leftPlace({ ...place, thread: retried.thread }, why)
  if (retried) return onceMore(asked, place, retried)
  if (lines.length === 0 && asked.request.named.conversation === conversation && isOurs(conversation))
    throw new NotFoundError(
      'conversation_not_found',
      `Conversation with id '${conversation.slice(0, 100)}' not found.`,
      'conversation',
    )
  return { ...place, kind: lines.length > 0 ? 'extends' : 'new', thread }
}

/** Conversations of the Responses API are made before they are named. */
const isOurs = (conversation: string) => conversation.startsWith('conv_')

/** The branches of a thread, the one written to last first. Those of side requests, and those that nobody went on, do not count. */
export async function linesOf(
  { store, tenant }: Log,
  { conversation, actor }: Pick<ThreadKey, 'conversation' | 'actor'>,
): Promise<readonly ThreadKey[]> {
  const [info] = await store.conversations(tenant, { only: conversation, limit: 1 })
  const all = (info?.threads ?? []).filter(one => one.actor === actor && !isSideName(one.branch))
  // A branch is younger than the thread that it leaves.
  const isMain = ({ branch }: { readonly branch: string }) => Number(branch === mainBranch)
  const sorted = all.toSorted((a, b) => b.updatedAt - a.updatedAt || isMain(a) - isMain(b))
  const lines = sorted.slice(0, mostLines).map(({ branch }) => ({ tenant, conversation, actor, branch }))
  for (let from = 0; from < lines.length - 1; from++) {
    const { head, forkOf } = (await store.head(lines[from]!)) ?? {}
    if (!forkOf || head !== forkOf.at) return lines.slice(from)
  }
  return lines.slice(-1)
}

/** The most branches on which an earlier request is looked for. */
const mostLines = 100

/** A turn without an answer, and the messages of the request that it was. */
interface Failed {
  readonly thread: ThreadKey
  readonly turn: StoredTurn
  /** Whether the turn ends with the request. */
  readonly isLast: boolean
  /** The messages of the turn before those of the request, and those of the request. */
  readonly messages: Place['messages']
  readonly repeated: number
}

/** What became of the request the first time it came. Undefined if it is new. */
async function findRetried(
  asked: Asked,
  lines: readonly ThreadKey[],
  given: Given,
): Promise<Again | Failed | undefined> {
  const { store } = asked.log
  const key = keyOf(asked)
  let failed: Failed | undefined
  // Without a key only the newest turn can be the one.
  for (const thread of key === undefined ? lines.slice(0, 1) : lines) {
    const turns = await store.turns(thread)
    const newest = turns.at(-1)
    const named = key === undefined ? newest : await turnOfKey(asked, thread, turns)
    // A message whose turn has no answer yet is the same one, whatever its client says of it.
    const turn = named ?? (newest?.status === 'open' ? newest : undefined)
    const isOpen = turn === newest && turn?.status === 'open'
    if (!turn) continue
    const isAgain = await isRetryOf(asked, thread, turn)
    if (!isOpen && !isAgain) continue
    const entries = await listLog(sourceOf(asked.log, thread), { from: turn.first, to: turn.last })
    const said = entries.filter(
      ({ isClosing, isBroken, message }) => !isClosing && !isBroken && message.role !== 'assistant_note',
    )
    const found = findStretch(
      said.map(({ message, seq }) => comparedOf(message, seq)),
      given.items,
    )
    if (!found) {
      if (key !== undefined) throw new KeyReusedError(key)
      continue
    }
    const last = said[found.end - 1]!.seq
    if (await hasReply(asked, thread, last, turn)) {
      if (!isAgain) continue
      return { kind: 'again', thread, after: last, turn: turn.turn }
    }
    const repeated = said.slice(0, found.start).map(({ view }) => view)
    const own = given.messages.slice(found.from)
    failed ??= {
      ...{ thread, turn, isLast: found.end === said.length },
      ...{ messages: [...repeated, ...own], repeated: repeated.length },
    }
  }
  return failed
}

/**
 * Where a turn has the items of a request, or those from its last user message on: what came before may be in the log
 * outside of turns. `start`, `end`: places in the turn. `from`: the request's first message that the turn has.
 */
function findStretch(
  turn: readonly (Compared | undefined)[],
  items: readonly Item[],
): { readonly start: number; readonly end: number; readonly from: number } | undefined {
  const seen = turn.flatMap((said, at) => (said ? [{ said, at }] : []))
  const hasUser = items.some(isUser)
  for (const wanted of hasUser ? [items, items.slice(lastRun(items))] : [items]) {
    // A user's message begins the turn; results of tools are the last ones that came.
    const latest = hasUser ? 0 : seen.length - wanted.length
    for (let at = latest; at >= 0; at--)
      if (wanted.length > 0 && wanted.every((item, n) => isSame(seen[at + n]?.said, item)))
        return { start: seen[at]!.at, end: seen[at + wanted.length - 1]!.at + 1, from: wanted[0]!.index }
  }
  return undefined
}

const isSame = (logged: Compared | undefined, given: Item) =>
  logged !== undefined && agreement(logged, given) === 'same'

/** The first of the user messages in a row that the request ends with, but for what follows them. */
function lastRun(items: readonly Item[]): number {
  let at = items.findLastIndex(isUser)
  while (at > 0 && isUser(items[at - 1]!)) at -= 1
  return at
}

const onceMore = (
  { newId }: Asked,
  place: Omit<Place, 'kind' | 'thread'>,
  { thread: of, turn, messages, repeated }: Failed,
): Place => ({
  ...place,
  ...{ kind: 'branches', messages, repeated, items: itemsOf(messages) },
  thread: { ...of, branch: newId() },
  fork: { of, at: turn.first - 1 },
  why: `${place.why}; it failed before, and is answered once more, on a branch`,
})
