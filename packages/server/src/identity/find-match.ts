import { threadId } from '@throughline/history/log'
import type { MarkedPlace, ThreadKey } from '@throughline/stores/store'
import { isReply, isUser } from './agreement.ts'
import {
  callMark,
  type Front,
  lastUsers,
  markNames,
  marksOf,
  type ThreadName,
  type UserMarks,
} from './chain.ts'
import type { ListItem } from './item.ts'
import { beginningOf, type Meeting, type Walk, type WalkLog, walkFrom, walkOn } from './walk.ts'

export interface Lookup extends WalkLog {
  readonly tenant: string
  /** Marks are made and searched within a scope only: the key of a client, and the conversation that it names. */
  readonly scope: string
  readonly items: readonly ListItem[]
  /** The conversation that the client names. Only its threads are looked at. */
  readonly named?: ThreadName
  /** The ids of the newest calls that the list holds. */
  readonly calls?: readonly string[]
  /** Whether the client may be sending a request again. */
  readonly mayBeRetry?: boolean
}

/** How a list and the thread that it belongs to agree. `why` is for people. */
export type Match =
  /** The list begins something new. */
  | { readonly kind: 'none'; readonly why: string }
  /** The list agrees with all of the thread. `past`: what that is, for people. */
  | { readonly kind: 'agrees'; readonly walk: Walk; readonly past: string }
  /** The thread has all of the list, and more. `isGreeting`: one message of a client that does not name its conversation. */
  | {
      readonly kind: 'repeats'
      readonly walk: Walk
      readonly isGreeting?: boolean
      readonly why: string
    }
  /** The list says something else than the thread after a place. */
  | { readonly kind: 'differs'; readonly walk: Walk }

/** With the conversations that the list's newest calls were made in, if they tell. */
type ClearLookup = Lookup & { readonly callers: ReadonlySet<string> | undefined }

/** Finds the thread that a list of messages goes on from, repeats or leaves. Undefined if no thread began like it. */
export async function findMatch(whole: Lookup): Promise<Match | undefined> {
  const lookup = { ...whole, callers: await callersOf(whole) }
  const { items, named, mayBeRetry } = lookup
  const walks = await findWalks(lookup)
  const [best] = walks
  const longest = walks.filter(
    ({ items, reworded }) => items === best?.items && reworded === best.reworded,
  )
  const rivals = rivalsOf(lookup, best, longest)
  if (rivals > 0) return unclear(rivals)
  if (best && !best.hasMore) return { kind: 'agrees', walk: best, past: allBefore }
  const isRepeated = best?.items === items.length
  if (isRepeated) {
    const ends = await endsElsewhere(lookup, best)
    const [live] = ends
    const isClear = live && (live.front === 'same' || live.reworded < best.reworded)
    const others = isClear ? 0 : rivalsOf(lookup, best, ends)
    if (others > 0) return unclear(others)
    if (live) return { kind: 'agrees', walk: live, past: allBefore }
  }
  // What a client brings along is no talk yet: many conversations begin with the same message, or the same examples.
  const isGreeting = best !== undefined && !named && (await isUnanswered(lookup, best))
  if (isRepeated && (!isGreeting || mayBeRetry))
    return { kind: 'repeats', walk: best, isGreeting, why: 'the same messages came before' }
  if (isRepeated) return { kind: 'none', why: 'others began with the same message' }
  const cut = await findCut(lookup, best)
  if (cut) return cut
  if (isGreeting)
    return { kind: 'none', why: 'others began alike, with what their client brought along' }
  return best && { kind: 'differs', walk: best }
}

/** The conversations that a call of the list was made in. Undefined if that is not known. */
async function callersOf({ store, tenant, scope, named, calls = [] }: Lookup) {
  if (named || calls.length === 0) return undefined
  const marks = calls.map(id => callMark(scope, id))
  const places = await store.findMarks(tenant, marks, { limit: mostCallers })
  // Some model servers give all their calls the same few ids: these tell nothing.
  if (places.length === 0 || places.length >= mostCallers) return undefined
  return new Set(places.map(({ thread }) => thread.conversation))
}

const mostCallers = 32

const allBefore = 'everything that was said before'

const unclear = (rivals: number): Match => ({
  kind: 'none',
  why: `what its client left out would tell apart ${rivals + 1} threads`,
})

/** How many other threads may be meant, because what tells them apart was left out. */
function rivalsOf({ named }: Lookup, best: Walk | undefined, walks: readonly Walk[]): number {
  if (best?.front !== 'less' || named) return 0
  const others = walks.filter(({ leftOut }) => leftOut !== best.leftOut)
  return othersIn(others, best, threadId)
}

/** Counts the other conversations or threads (as `nameOf` names them). */
function othersIn(
  walks: readonly Walk[],
  { thread }: Walk,
  nameOf: (thread: ThreadKey) => string,
): number {
  const names = new Set(walks.map(walk => nameOf(walk.thread)))
  names.delete(nameOf(thread))
  return names.size
}

/** Threads that end before the last user message, and were used later or left something else out: they may be meant. */
async function endsElsewhere(lookup: ClearLookup, repeated: Walk): Promise<readonly Walk[]> {
  const walks = await findWalks(lookup, lookup.items.findLastIndex(isUser))
  return walks.filter(({ hasMore, front, usedAt, leftOut }) => {
    if (hasMore || (repeated.front === 'same' && front === 'less')) return false
    return usedAt > repeated.usedAt || leftOut !== repeated.leftOut
  })
}

/** Whether nothing that agrees was said here: no reply of the server, only what a client brought along and asked first. */
async function isUnanswered({ store, items }: Lookup, walk: Walk): Promise<boolean> {
  const [first] = await store.turns(walk.thread)
  if (!first || walk.at < first.first) return true
  return walk.at <= first.last && isUser(items[walk.items - 1]!)
}

/**
 * The thread of a list whose client cut off its front or cut out its middle. `begun`: the thread that it begins like and leaves.
 * The list must go on where a thread ends that begins like it, or be a window of another thread that it agrees with for longer.
 */
async function findCut(lookup: ClearLookup, begun: Walk | undefined): Promise<Match | undefined> {
  const { items } = lookup
  const lastUser = items.findLastIndex(isUser)
  const walks: Walk[] = []
  const add = async (meetings: readonly Meeting[]) => {
    for (const meeting of meetings) {
      const walk = await walkFrom(lookup, items, meeting)
      // A message alone is no exchange.
      if (!walk || walk.items - walk.first <= 1) continue
      // A front that stands before what agrees is that of the thread.
      const isOfBegun = walk.first > 0 || walk.thread.conversation === begun?.thread.conversation
      if (!begun || (!walk.hasMore && (isOfBegun || walk.items > begun.items))) walks.push(walk)
    }
    walks.sort(bestFirst)
  }
  await add(await findPairs(lookup))
  const [pair] = walks
  const isRepeated = pair?.items === items.length && pair.hasMore
  // The new message may be in one thread, and be meant for another that ends before it.
  if (isRepeated) await add(await findPairs(lookup, lastUser))
  // One exchange and a new message: what the client has kept begins with a message that had another one before it.
  if (items.length > 2 && (!pair || isRepeated))
    await add(await findAlone(lookup, begun?.items ?? 0))
  // What stood before the last question that has an answer may have been deleted, as a document that is sent once.
  const reply = items.findLastIndex((item, at) => at < lastUser && isReply(item))
  const answered = items.findLastIndex((item, at) => at < reply && isUser(item))
  if (answered > 0 && walks.every(({ hasMore }) => hasMore))
    await add(await findAlone(lookup, answered))
  const [best] = walks
  if (!best) return undefined
  // A thread that ends here is more likely than one that went on, unless that one was used later.
  const likely = walks.filter(walk =>
    walk.items === best.items
      ? walk.hasMore === best.hasMore || walk.usedAt >= best.usedAt
      : isRepeated && !walk.hasMore && walk.items > items.findLastIndex(isReply),
  )
  const rivals = othersIn(likely, best, ({ conversation }) => conversation)
  if (rivals > 0)
    return {
      kind: 'none',
      why: `the messages that its client kept fit ${rivals + 1} conversations`,
    }
  if (!best.hasMore)
    return { kind: 'agrees', walk: best, past: 'the messages that its client kept' }
  if (best.items < items.length) return { kind: 'differs', walk: best }
  return { kind: 'repeats', walk: best, why: 'the same messages came before' }
}

/**
 * How far the list agrees with the threads that may have begun it, the best first. Marks of a whole list say that all before
 * agrees, marks of words only where to compare. `before`: only user messages before this item are looked up.
 */
async function findWalks(lookup: ClearLookup, before?: number): Promise<readonly Walk[]> {
  const all = (one: UserMarks) => [
    ...markNames.whole(one),
    ...markNames.less(one),
    ...markNames.words(one),
  ]
  for await (const meet of looks(lookup, all, before)) {
    const less = meet(markNames.less, 'less')
    const inexact = [...less, ...meet(markNames.words, 'same')]
    // What was left out is compared where more than one conversation may have it.
    const isClear = new Set(inexact.map(({ thread }) => threadId(thread))).size <= 1
    const meetings = [...meet(markNames.whole, 'same'), ...(isClear ? less : [])]
    const met = new Set(meetings.map(({ thread }) => threadId(thread)))
    for (const { thread } of inexact) {
      if (!met.has(threadId(thread))) meetings.push(beginningOf(thread))
      met.add(threadId(thread))
    }
    const walks = await Promise.all(meetings.map(meeting => walkOn(lookup, lookup.items, meeting)))
    const agreeing = walks.filter(({ items }) => items > 0)
    if (agreeing.length > 0) return agreeing.sort(bestFirst)
  }
  return []
}

/**
 * The longest walk first; of equals the one with the least worded otherwise, then with the least left out, then one that the
 * list goes on from, then the newest.
 */
const bestFirst = (one: Walk, other: Walk) =>
  other.items - one.items || one.reworded - other.reworded || rankOf(other) - rankOf(one)

const rankOf = ({ front, hasMore }: Walk) => (front === 'less' ? 0 : 2) + (hasMore ? 0 : 1)

/** Where the newest user message stands that came after the same words before. */
async function findPairs(lookup: ClearLookup, before?: number): Promise<readonly Meeting[]> {
  for await (const meet of looks(lookup, markNames.pair, before)) {
    const meetings = meet(markNames.pair, 'cut')
    if (meetings.length > 0) return meetings
  }
  return []
}

/** Where the newest user message stands that is not behind this item, whatever came before it. */
async function findAlone(lookup: ClearLookup, last: number) {
  const { store, tenant, items, scope } = lookup
  const item = items.findLastIndex((one, at) => at <= last && isUser(one))
  const [alone] = item < 0 ? [] : await marksOf(items.slice(item, item + 1), scope)
  if (!alone) return []
  const places = await store.findMarks(tenant, markNames.alone(alone), { limit: mostAlone })
  return places
    .filter(place => isOf(place, lookup))
    .map(({ at, thread }): Meeting => ({ thread, item, at, front: 'cut' }))
}

/** A message alone stands at more places than one with what came before it. */
const mostAlone = 64

/** Looks up the marks of the newest user messages, then those of older ones. Yields what tells where the newest one stands. */
async function* looks(
  lookup: ClearLookup,
  wanted: (one: UserMarks) => readonly string[],
  before = Number.POSITIVE_INFINITY,
) {
  const { store, tenant, items, scope } = lookup
  for await (const marks of marksBackwards(items, scope)) {
    const look = marks.filter(({ item }) => item < before)
    const texts = new Set(look.flatMap(wanted))
    const places = new Map<string, MarkedPlace[]>()
    for (const place of texts.size > 0 ? await store.findMarks(tenant, [...texts]) : []) {
      if (!isOf(place, lookup)) continue
      const row = places.get(place.mark)
      if (row) row.push(place)
      else places.set(place.mark, [place])
    }
    yield (namesOf: (one: UserMarks) => readonly string[], front: Front): readonly Meeting[] => {
      for (const one of look.toReversed()) {
        const at = namesOf(one).flatMap(name => places.get(name) ?? [])
        if (at.length > 0)
          return at.map(({ at, thread }) => ({ item: one.item, at, thread, front }))
      }
      return []
    }
  }
}

/** How many of the newest user messages are looked up at once. Nearly always the last but one is known. */
const firstLook = 3
const laterLook = 256

/** The marks of the newest user messages, then those of older ones. */
async function* marksBackwards(items: readonly ListItem[], scope: string) {
  const newest = await marksOf(items, scope, lastUsers(items, firstLook))
  yield newest
  if (newest.length < firstLook) return
  const older = (await marksOf(items, scope)).slice(0, -newest.length)
  for (let end = older.length; end > 0; end -= laterLook)
    yield older.slice(Math.max(0, end - laterLook), end)
}

const isOf = ({ thread }: MarkedPlace, { named, callers }: ClearLookup) =>
  named
    ? thread.conversation === named.conversation && thread.actor === named.actor
    : !callers || callers.has(thread.conversation)
