import type { ThreadKey } from '../../stores/store.ts'
import { type Front, isReply, isUser, type ListItem, type ThreadName } from './chain.ts'
import { createMarks, findAlone, findPairs, findWalks, type Lookup, type Marks } from './find-walks.ts'
import {
  bestOf,
  branchPlace,
  hasFront,
  type Meeting,
  nameOfConversation,
  nameOfThread,
  others,
  type Walk,
  type WalkLog,
  walkBack,
  walkOn,
} from './walk.ts'

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
      readonly front: Front
      readonly why: string
    }

export interface PlaceLookup extends Lookup {
  readonly newId: () => string
  /** Whether the client may be sending a request again. */
  readonly mayBeRetry?: boolean
}

/**
 * Finds the thread that a client's list of messages belongs to. A list that goes on where a thread ends extends it; one
 * that leaves a thread becomes a branch of it; a list of which something is missing and that fits several conversations
 * equally well becomes a new one. Nothing is ever merged.
 */
export async function recognise(lookup: PlaceLookup): Promise<Placement> {
  const { items, named } = lookup
  const marks = await createMarks(lookup)
  const walks = await findWalks(lookup, marks)
  const best = bestOf(walks)
  const isRepeated = best?.items === items.length && best.hasMore
  const rivals =
    best && !named
      ? rivalsOf(
          best,
          walks.filter(({ items }) => items === best.items),
        )
      : 0
  if (rivals > 0) return unclear(lookup, rivals)
  if (best && !best.hasMore) return goingOn(lookup, best, 'everything that was said before')
  if (isRepeated) {
    const ends = await endsElsewhere(lookup, marks, best)
    const live = bestOf(ends)
    const others = named || live?.front === 'same' ? 0 : rivalsOf(best, ends)
    if (others > 0) return unclear(lookup, others)
    if (live) return goingOn(lookup, live, 'everything that was said before')
  }
  // What a client brings along is no talk yet: many conversations begin with the same message, or the same examples.
  const isGreeting = best !== undefined && !named && (await isUnanswered(lookup, best))
  if (isRepeated && (!isGreeting || lookup.mayBeRetry))
    return { kind: 'repeats', walk: best, isGreeting, why: 'the same messages came before' }
  if (isRepeated) return isNew(lookup, 'others began with the same message')
  const cut = await findCut(lookup, marks, best)
  if (cut && 'rivals' in cut)
    return isNew(lookup, `the messages that its client kept fit ${cut.rivals + 1} conversations`)
  if (cut) return cutOff(lookup, cut)
  if (best && isGreeting) return isNew(lookup, 'others began alike, with what their client brought along')
  if (best) return leaving(lookup, best, 'it says something else than what was said there')
  return named ? otherwise(lookup, named) : isNew(lookup, 'nobody began like this')
}

/** How many other threads may be meant, because what tells them apart was left out. */
const rivalsOf = (best: Walk, walks: readonly Walk[]) =>
  best.front === 'less' ? others(walks, best, nameOfThread, ({ leftOut }) => leftOut !== best.leftOut) : 0

/** Threads that end before the last user message, and were used later or left something else out: they may be meant. */
async function endsElsewhere(lookup: PlaceLookup, marks: Marks, repeated: Walk): Promise<readonly Walk[]> {
  const walks = await findWalks(lookup, marks, lookup.items.findLastIndex(isUser))
  return walks.filter(({ hasMore, front, usedAt, leftOut }) => {
    if (hasMore || (repeated.front === 'same' && front === 'less')) return false
    return usedAt > repeated.usedAt || leftOut !== repeated.leftOut
  })
}

/** Whether nothing that agrees was said here: no reply of the server, only what a client brought along and asked first. */
async function isUnanswered({ store, items }: PlaceLookup, walk: Walk): Promise<boolean> {
  const [first] = await store.turns(walk.thread)
  if (!first || walk.at < first.first) return true
  return walk.at <= first.last && isUser(items[walk.items - 1]!)
}

/** The list agrees with all of a thread. */
async function goingOn(lookup: PlaceLookup, walk: Walk, past: string): Promise<Placement> {
  const { items } = lookup
  if (isSummedUp(items, walk))
    return leaving(lookup, walk, 'its client has put a summary in place of what came after')
  if (walk.items === items.length)
    return { kind: 'repeats', walk, why: 'the same messages came before, and have no answer yet' }
  return { kind: 'extends', walk, why: `it goes on after ${past}` }
}

/**
 * The thread that a list belongs to whose client has cut off its front, or cut out its middle. `begun`: the thread that the
 * list began like, and then leaves: the list must go on where a thread ends that begins like it, or be a window of another
 * thread that it agrees with for longer. `rivals`: the number of other conversations that fit as well.
 */
async function findCut(
  lookup: Lookup,
  marks: Marks,
  begun?: Walk,
): Promise<Walk | { readonly rivals: number } | undefined> {
  // A message alone is no exchange. A front that stands before what agrees is that of the thread.
  const fits = ({ thread, items, hasMore }: Walk, first: number) =>
    items - first > 1 &&
    (!begun ||
      (!hasMore && (first > 0 || thread.conversation === begun.thread.conversation || items > begun.items)))
  const walks = await walksFrom(lookup, await findPairs(lookup, marks), fits)
  const pair = bestOf(walks)
  const isRepeated = pair?.items === lookup.items.length && pair.hasMore
  // The new message may be in one thread, and be meant for another that ends before it.
  if (isRepeated) await add(await findPairs(lookup, marks, lookup.items.findLastIndex(isUser)))
  // One exchange and a new message: what the client has kept begins with a message that had another one before it.
  if (lookup.items.length > 2 && (!pair || isRepeated)) await add(await findAlone(lookup, begun?.items ?? 0))
  const best = bestOf(walks)
  if (!best) return undefined
  // A thread that ends here is more likely than one that went on, unless that one was used later.
  const rivals = others(walks, best, nameOfConversation, ({ items, hasMore, usedAt }) =>
    items === best.items
      ? hasMore === best.hasMore || usedAt >= best.usedAt
      : isRepeated && !hasMore && items > lookup.items.findLastIndex(isReply),
  )
  return rivals === 0 ? best : { rivals }

  async function add(meetings: readonly Meeting[]): Promise<void> {
    for (const walk of await walksFrom(lookup, meetings, fits)) walks.push(walk)
  }
}

async function walksFrom(
  lookup: Lookup,
  meetings: readonly Meeting[],
  fits: (walk: Walk, first: number) => boolean,
): Promise<Walk[]> {
  const walks: Walk[] = []
  for (const meeting of meetings) {
    const first = await walkBack(lookup, lookup.items, meeting)
    if (first === undefined) continue
    if (first > 0 && !(await hasFront(lookup, lookup.items.slice(0, first), meeting.thread))) continue
    const walk = await walkOn(lookup, lookup.items, meeting)
    if (fits(walk, first)) walks.push(walk)
  }
  return walks
}

async function cutOff(lookup: PlaceLookup, walk: Walk): Promise<Placement> {
  if (!walk.hasMore) return goingOn(lookup, walk, 'the messages that its client kept')
  if (walk.items === lookup.items.length)
    return { kind: 'repeats', walk, why: 'the same messages came before' }
  return leaving(lookup, walk, 'it says something else than what was said there')
}

/** A branch that leaves a thread where the list and the thread no longer agree, or before their last turn. */
export async function leaving(
  log: WalkLog,
  walk: Walk,
  why: string,
  options?: { readonly isBeforeTurn: boolean },
): Promise<Extract<Placement, { kind: 'branches' }>> {
  const { thread: of, front } = walk
  return { kind: 'branches', of, front, ...(await branchPlace(log, walk, options)), why }
}

/** The client names a conversation, and its list does not go on from anything there. */
async function otherwise({ store, tenant, items }: PlaceLookup, name: ThreadName): Promise<Placement> {
  const thread = { tenant, ...name, branch: 'main' }
  if (!(await store.head(thread))) return { kind: 'new', thread, why: 'its client names a new conversation' }
  const reason = 'its client names this conversation, but sends other messages'
  const why = isCompacted(items) ? `${reason}, with a summary of earlier ones: it has compacted them` : reason
  return { kind: 'branches', of: thread, at: 0, from: 0, front: 'same', why }
}

/** Whether one of the first messages says that it is a summary, in the words of a client that compacts. */
const isCompacted = (items: readonly ListItem[]) => items.slice(0, mostBefore).some(isSummary)

/** Whether a summary stands in place of the calls of an open turn, right behind its question. */
const isSummedUp = (items: readonly ListItem[], { items: agreed, leftOut }: Walk) =>
  leftOut !== '' && isUser(items[agreed - 1]!) && items[agreed] !== undefined && isSummary(items[agreed])

const isSummary = (item: ListItem) => isUser(item) && summaries.some(words => item.text.includes(words))

const mostBefore = 8

/** How Claude Code, Codex, and Qwen Code begin a summary. */
const summaries = [
  'This session is being continued from a previous conversation',
  'Another language model started to solve this problem and produced a summary',
  '<state_snapshot>',
]

const unclear = (lookup: PlaceLookup, rivals: number) =>
  isNew(lookup, `what its client left out would tell apart ${rivals + 1} threads`)

const isNew = ({ tenant, newId }: Pick<PlaceLookup, 'tenant' | 'newId'>, why: string) => ({
  kind: 'new' as const,
  thread: { tenant, conversation: newId(), actor: 'assistant', branch: 'main' },
  why,
})
