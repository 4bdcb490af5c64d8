import * as ranking from './ranking.ts'

// A posting is one number: an entry, about how long the entry is, and how often it has a term. A ranking reads one list in its
// order, and divides once for each shape, which is what stands beside the entry: nine bits. 23 are left for the entry, which
// is more than memory has room for.

/** Lengths have two digits besides the first, binary ones: 8 and 9 are the same, 16 to 19 are. Seven occurrences are many. */
export function toPosting(entry: number, length: number, count: number): number {
  const rest = Math.max(0, 29 - Math.clz32(length))
  return entry * 512 + 8 * Math.min(63, 4 * rest + (length >> rest)) + Math.min(count, 7)
}

export const entryOf = (posting: number): number => posting >>> 9

export const shapeOf = (posting: number): number => posting & 511

export const countOf = (posting: number): number => posting & 7

/** BM25 by shape, for a term of rarity 1. */
export function shapeScores(meanLength: number): Float64Array {
  const scores = new Float64Array(512)
  for (let shape = 0; shape < 512; shape++) {
    const rest = Math.max(0, (shape >> 5) - 1)
    // The middle of the lengths that are the same.
    const length = ((shape >> 3) - 4 * rest + 0.5) * (1 << rest) - 0.5
    const share = 1 - ranking.lengthShare + (ranking.lengthShare * length) / meanLength
    const count = countOf(shape)
    scores[shape] = ((ranking.saturation + 1) * count) / (count + ranking.saturation * share)
  }
  return scores
}
