import type { MarkedPlace, ThreadKey } from '../../stores/store.ts'
import { type Item, lastUsers, marksOf, type UserMarks } from './chain.ts'
import { branchPlace, hasFront, type LogToWalk, type Meeting, type Walk, walkBack, walkOn } from './walk.ts'

/** Where a request belongs, and why. `why` is for people, and holds no text of the conversation. */
export type Placement =
  | { readonly kind: 'new'; readonly thread: ThreadKey; readonly why: string }
  /** The list goes on where a thread ends. */
  | { readonly kind: 'extends'; readonly walk: Walk; readonly why: string }
  /** The log has all of the list already. */
  | {
      readonly kind: 'repeats'
      readonly walk: Walk
      /** Whether the list is one message of a client that does not name its conversation. */
      readonly isGreeting?: boolean
      readonly why: string
    }
  /** The list leaves a thread after a place. */
  | {
      readonly kind: 'branches'
      readonly of: ThreadKey
      readonly at: number
      readonly from: number
      readonly why: string
    }

export interface ToRecognise extends LogToWalk {
  readonly tenant: string
  /** Marks are made and searched within a scope only: the key of a client, and the conversation that it names. */
  readonly scope: string
  readonly items: readonly Item[]
  /** The conversation that the client names. Only its threads are looked at. */
  readonly named?: Pick<ThreadKey, 'conversation' | 'actor'>
  readonly newId: () => string
  /** Whether the client may be sending a request again. */
  readonly mayBeRetry?: boolean
}

/**
 * Finds the thread that a client's list of messages belongs to. A list that goes on where a thread ends extends it; one
 * that leaves a thread becomes a branch of it; a list whose front is missing and that fits several conversations equally
 * well becomes a new one. Nothing is ever merged.
 */
export async function recognise(given: ToRecognise): Promise<Placement> {
  const { items, named } = given
  const marks = createMarks(given)
  const best = bestOf(await walksFrom(given, await findNewest(given, marks, 'whole')))
  if (best && !best.hasMore) return goingOn(given, best, 'everything that was said before')
  const isRepeated = best?.items === items.length
  // The same first message is a new conversation more often than another try, and nothing was said that could be lost.
  const live = isRepeated && (await goesOnElsewhere(given, marks, best))
  if (live) return goingOn(given, live, 'everything that was said before')
  const isGreeting = items.length === 1 && !named
  if (isRepeated && (!isGreeting || given.mayBeRetry))
    return { kind: 'repeats', walk: best, isGreeting, why: 'the same messages came before' }
  if (best && !isRepeated) {
    const cut = await findCut(given, marks, best.thread)
    return cut ?? leaving(given, best, 'it says something else than what was said there')
  }
  return (
    (await findCut(given, marks)) ??
    (named ? compacted(given, named) : isNew(given, 'nobody began like this'))
  )
}

/** How many of the newest user messages are looked up at once. Nearly always the last but one is known. */
const firstLook = 3
const laterLook = 256

/** The marks of the newest user messages, and those of all if somebody needs them. */
function createMarks({ items, scope }: ToRecognise) {
  const newest = marksOf(items, scope, lastUsers(items, firstLook))
  let all: readonly UserMarks[] | undefined
  return {
    newest,
    older() {
      all ??= newest.length < firstLook ? newest : marksOf(items, scope)
      return all.slice(0, all.length - newest.length)
    },
  }
}

type Marks = ReturnType<typeof createMarks>

/** Where the newest user message stands that the log knows; of those before an item, if one is given. */
async function findNewest(
  { store, tenant, named }: ToRecognise,
  marks: Marks,
  kind: 'whole' | 'pair',
  before = Number.POSITIVE_INFINITY,
): Promise<readonly Meeting[]> {
  let look = marks.newest
  for (let end: number | undefined; ; ) {
    const wanted = look.flatMap(one => one[kind] ?? [])
    const found = wanted.length > 0 ? await store.findMarks(tenant, wanted) : []
    for (const one of look.filter(({ item }) => item < before).toReversed()) {
      const places = found.filter(place => place.mark === one[kind] && isOf(place, named))
      if (places.length > 0) return places.map(({ at, thread }) => ({ item: one.item, at, thread }))
    }
    end ??= marks.older().length
    if (end <= 0) return []
    look = marks.older().slice(Math.max(0, end - laterLook), end)
    end -= laterLook
  }
}

const isOf = ({ thread }: MarkedPlace, named: ToRecognise['named']) =>
  !named || (thread.conversation === named.conversation && thread.actor === named.actor)

const walksFrom = (given: ToRecognise, meetings: readonly Meeting[]) =>
  Promise.all(meetings.map(meeting => walkOn(given, given.items, meeting)))

/**
 * The walk that agrees longest; among equals one that the list goes on from, then the newest. Lists that agree from the
 * first message on say the same up to here, so either may go on.
 */
function bestOf(walks: readonly Walk[]): Walk | undefined {
  const rank = ({ items, hasMore }: Walk) => items * 2 + (hasMore ? 0 : 1)
  return walks.reduce<Walk | undefined>(
    (best, walk) => (best && rank(best) >= rank(walk) ? best : walk),
    undefined,
  )
}

/**
 * A thread that ends one message before the list, and was used later than the one that has all of the list. Whoever has the
 * same talk twice, with a model that answers alike, goes on with the second one.
 */
async function goesOnElsewhere(given: ToRecognise, marks: Marks, repeated: Walk): Promise<Walk | undefined> {
  const walks = await walksFrom(given, await findNewest(given, marks, 'whole', repeated.start.item))
  return bestOf(walks.filter(({ hasMore, usedAt }) => !hasMore && usedAt > repeated.usedAt))
}

/** The list agrees with all of a thread. */
function goingOn({ items }: ToRecognise, walk: Walk, known: string): Placement {
  if (walk.items === items.length)
    return { kind: 'repeats', walk, why: 'the same messages came before, and have no answer yet' }
  return { kind: 'extends', walk, why: `it goes on after ${known}` }
}

/** A branch that leaves a thread where the list and the thread no longer agree, or before their last turn. */
export async function leaving(
  given: LogToWalk,
  walk: Walk,
  why: string,
  options?: { readonly isBeforeTurn: boolean },
): Promise<Extract<Placement, { kind: 'branches' }>> {
  return { kind: 'branches', of: walk.thread, ...(await branchPlace(given, walk, options)), why }
}

/**
 * A list whose client has cut off its front, or cut out its middle, and whose end goes on where a thread ends. `within`: a
 * thread that the list began like.
 */
async function findCut(given: ToRecognise, marks: Marks, within?: ThreadKey): Promise<Placement | undefined> {
  const { items } = given
  const walks: Walk[] = []
  for (const meeting of await findNewest(given, marks, 'pair')) {
    if (within && meeting.thread.conversation !== within.conversation) continue
    const first = await walkBack(given, items, meeting)
    if (first > 0 && !(await hasFront(given, items.slice(0, first), meeting.thread))) continue
    walks.push(await walkOn(given, items, meeting))
  }
  const best = bestOf(walks)
  if (!best || (within && best.hasMore)) return undefined
  const isRival = ({ thread, items, hasMore }: Walk) =>
    thread.conversation !== best.thread.conversation && items === best.items && hasMore === best.hasMore
  const rivals = new Set(walks.filter(isRival).map(({ thread }) => thread.conversation))
  if (rivals.size > 0)
    return isNew(given, `the messages that its client kept fit ${rivals.size + 1} conversations`)
  if (!best.hasMore) return goingOn(given, best, 'the messages that its client kept')
  if (best.items === items.length)
    return { kind: 'repeats', walk: best, why: 'the same messages came before' }
  return leaving(given, best, 'it says something else than what was said there')
}

/** The client names a conversation, and its list does not go on from anything there. */
async function compacted(
  { store, tenant }: ToRecognise,
  { conversation, actor }: Pick<ThreadKey, 'conversation' | 'actor'>,
): Promise<Placement> {
  const thread = { tenant, conversation, actor, branch: 'main' }
  if (!(await store.head(thread))) return { kind: 'new', thread, why: 'its client names a new conversation' }
  const why = 'its client names this conversation, but sends other messages: it has compacted them'
  return { kind: 'branches', of: thread, at: 0, from: 0, why }
}

export const isNew = ({ tenant, newId }: Pick<ToRecognise, 'tenant' | 'newId'>, why: string) => ({
  kind: 'new' as const,
  thread: { tenant, conversation: newId(), actor: 'assistant', branch: 'main' },
  why,
})
