import { bestOf, nameOfConversation, others } from './best-of.ts'
import { isReply, isUser } from './chain.ts'
import { findAlone, findPairs, type Lookup, type Marks } from './find-walks.ts'
import { hasFront, type Meeting, type Walk, walkBack, walkOn } from './walk.ts'

/**
 * The thread that a list belongs to whose client has cut off its front, or cut out its middle. `begun`: the thread that the
 * list began like, and then leaves: the list must go on where a thread ends that begins like it, or be a window of another
 * thread that it agrees with for longer. `rivals`: the number of other conversations that fit as well.
 */
export async function findCut(
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
