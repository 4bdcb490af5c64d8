import { firstPlace } from '../conversation/first-place.ts'

type LinePair = readonly [earlier: number, current: number]

/**
 * Finds for each id its place among the earlier ones, or -1; places ascend. Ids that stand once in both lists are matched
 * first, as many as keep their order; other ids only right behind or right before a match. The work grows with n log n.
 */
export function matchLines(earlier: readonly string[], current: readonly string[]): readonly number[] {
  const places = new Array<number>(current.length).fill(-1)
  /** Matches what two stretches begin and end with. Gives what is left of them. */
  function matchEnds(from: LinePair, to: LinePair): { readonly from: LinePair; readonly to: LinePair } {
    let [[k, g], [endEarlier, endCurrent]] = [from, to]
    while (k < endEarlier && g < endCurrent && earlier[k] === current[g]) places[g++] = k++
    while (endEarlier > k && endCurrent > g && earlier[endEarlier - 1] === current[endCurrent - 1])
      places[--endCurrent] = --endEarlier
    return { from: [k, g], to: [endEarlier, endCurrent] }
  }
  const rest = matchEnds([0, 0], [earlier.length, current.length])
  let { from } = rest
  for (const [place, at] of ascending(pairsOf(earlier, current, rest))) {
    matchEnds(from, [place, at])
    places[at] = place
    from = [place + 1, at + 1]
  }
  matchEnds(from, rest.to)
  return places
}

/** The places of the ids that stand once in both stretches, in the order of the current ones. */
function pairsOf(
  earlier: readonly string[],
  current: readonly string[],
  { from, to }: { readonly from: LinePair; readonly to: LinePair },
): readonly LinePair[] {
  const single = (ids: readonly string[], first: number, end: number) => {
    const places = new Map<string, number>()
    for (let at = first; at < end; at++) places.set(ids[at]!, places.has(ids[at]!) ? -1 : at)
    return places
  }
  const earlierAt = single(earlier, from[0], to[0])
  return [...single(current, from[1], to[1])].flatMap(([id, at]) => {
    const place = earlierAt.get(id) ?? -1
    return at >= 0 && place >= 0 ? [[place, at] as const] : []
  })
}

/** The longest selection of pairs whose earlier places ascend. */
function ascending(pairs: readonly LinePair[]): readonly LinePair[] {
  /** The pair that ends the best selection of each length, and for each pair the one before it. */
  const ends: number[] = []
  const before: number[] = []
  for (const [at, [place]] of pairs.entries()) {
    const length = firstPlace(ends.length, n => pairs[ends[n]!]![0] >= place)
    before.push(length > 0 ? ends[length - 1]! : -1)
    ends[length] = at
  }
  const chosen: LinePair[] = []
  for (let at = ends.at(-1) ?? -1; at >= 0; at = before[at]!) chosen.push(pairs[at]!)
  return chosen.reverse()
}
