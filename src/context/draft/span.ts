import { firstPlace } from '../conversation/first-place.ts'

/** A stretch of units that are not sent as they are, and why. */
export interface Span {
  readonly from: number
  readonly to: number
  readonly fate: 'elided' | 'digested' | 'recalled'
  readonly rule: string
  readonly why: string
}

/** Lays spans over others; where they overlap the new ones win. All lists are sorted and disjoint. */
export function laySpans(old: readonly Span[], added: readonly Span[]): readonly Span[] {
  const result: Span[] = [...added]
  let next = 0
  for (const span of old) {
    let { from } = span
    while (next < added.length && added[next]!.to <= from) next += 1
    for (let at = next; at < added.length && added[at]!.from < span.to; at++) {
      if (added[at]!.from > from) result.push({ ...span, from, to: added[at]!.from })
      from = Math.max(from, added[at]!.to)
    }
    if (from < span.to) result.push({ ...span, from })
  }
  return result.sort((a, b) => a.from - b.from)
}

export function findSpan(spans: readonly Span[], unit: number): Span | undefined {
  const span = spans[firstPlace(spans.length, place => spans[place]!.to > unit)]
  return span && span.from <= unit ? span : undefined
}
