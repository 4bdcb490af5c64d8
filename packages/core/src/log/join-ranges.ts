type Range = readonly [from: number, to: number]

/** Ranges of a text in order, where those that meet or overlap are one. */
export function joinRanges(ranges: Iterable<Range>): readonly Range[] {
  const joined: [number, number][] = []
  for (const [from, to] of ranges) {
    const last = joined.at(-1)
    if (last && last[1] >= from) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}
