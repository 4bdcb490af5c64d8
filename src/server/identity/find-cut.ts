import { bestOf, conversationsOf } from './best-of.ts'
import { isReply, isUser } from './chain.ts'
import { findFirst, findPairs, type Marks, type ToFind } from './find-walks.ts'
import { hasFront, type Meeting, type Walk, walkBack, walkOn } from './walk.ts'

/**
 * The thread that a list belongs to whose client has cut off its front, or cut out its middle. `begun`: the thread that the
 * list began like, and then leaves: the list must go on where another place of its conversation ends, or be a window of
 * another thread that it agrees with for longer. `rivals`: the number of other conversations that fit as well.
 */
export async function findCut(
  given: ToFind,
  marks: Marks,
  begun?: Walk,
): Promise<Walk | { readonly rivals: number } | undefined> {
  const fits = ({ thread, items, hasMore }: Walk, first: number) =>
    !begun ||
    (!hasMore && (thread.conversation === begun.thread.conversation || (first === 0 && items > begun.items)))
  const walks = await walksFrom(given, await findPairs(given, marks), fits)
  const found = bestOf(walks)
  const isRepeated = found?.items === given.items.length && found.hasMore
  // The new message may be in one thread, and be meant for another that ends before it.
  if (isRepeated) await addTo(walks, await findPairs(given, marks, given.items.findLastIndex(isUser)))
  // One exchange and a new message: the first message has none before it by which it is found.
  if (!found || isRepeated) await addTo(walks, await findFirst(given))
  const best = bestOf(walks)
  if (!best) return undefined
  // A thread that ends here is more likely than one that went on, unless that one was used later.
  const rivals = conversationsOf(walks, best, ({ items, hasMore, usedAt }) =>
    items === best.items
      ? hasMore === best.hasMore || usedAt >= best.usedAt
      : isRepeated && !hasMore && items > given.items.findLastIndex(isReply),
  )
  if (rivals === 0) return best
  return begun ? undefined : { rivals }

  async function addTo(walks: Walk[], meetings: readonly Meeting[]): Promise<void> {
    // A message alone is no exchange.
    for (const walk of await walksFrom(given, meetings, fits))
      if (walk.items > 1 && given.items.length > 2) walks.push(walk)
  }
}

async function walksFrom(
  given: ToFind,
  meetings: readonly Meeting[],
  fits: (walk: Walk, first: number) => boolean,
): Promise<Walk[]> {
  const walks: Walk[] = []
  for (const meeting of meetings) {
    const first = await walkBack(given, given.items, meeting)
    if (first === undefined) continue
    if (first > 0 && !(await hasFront(given, given.items.slice(0, first), meeting.thread))) continue
    const walk = await walkOn(given, given.items, meeting)
    if (fits(walk, first)) walks.push(walk)
  }
  return walks
}
