import * as ranking from './ranking.ts'

// A posting says in one number which entry has a term (23 bits) and the shape of that entry: about how long it is (6 bits) and
// how often it has the term (3 bits). BM25 needs only the shape, so it is computed once for each of the 512 shapes, and a
// ranking looks it up for each posting.

/** Lengths keep 3 significant bits, so 8 and 9 are the same, and 16 to 19 are. Counts are capped at 7. */
export function toPosting(entry: number, length: number, count: number): number {
  const rest = Math.max(0, 29 - Math.clz32(length))
  return entry * 512 + 8 * Math.min(63, 4 * rest + (length >> rest)) + Math.min(count, 7)
}

export const entryOf = (posting: number): number => posting >>> 9

export const shapeOf = (posting: number): number => posting & 511

export const countOf = (posting: number): number => posting & 7

/** Those of the last mean: a message is ranked with several lists of terms. */
let latest = { meanLength: -1, scores: new Float64Array() }

/** BM25 by shape, for a term of rarity 1. */
export function shapeScores(meanLength: number): Readonly<Float64Array> {
  if (latest.meanLength !== meanLength) latest = { meanLength, scores: makeShapeScores(meanLength) }
  return latest.scores
}

function makeShapeScores(meanLength: number) {
  const scores = new Float64Array(512)
  for (let shape = 0; shape < 512; shape++) {
    const rest = Math.max(0, (shape >> 5) - 1)
    // The middle of the lengths that have this shape.
    const length = ((shape >> 3) - 4 * rest + 0.5) * (1 << rest) - 0.5
    const share = 1 - ranking.lengthShare + (ranking.lengthShare * length) / meanLength
    const count = countOf(shape)
    scores[shape] = ((ranking.saturation + 1) * count) / (count + ranking.saturation * share)
  }
  return scores
}

/** How much a term tells that `frequency` of n texts have. */
export function rarity(frequency: number, n: number): number {
  return Math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
}
