import { dots } from './dots.ts'
import { chunkSize, type VectorChunk } from './vector-chunk.ts'

export type Chunks = readonly (VectorChunk | undefined)[]

/** Cosines are integers of this fraction. */
export const fine = 10_000

/** How close the entries before one ([0]: place 1) are to it, as known then. -Infinity: no vector. */
export function cosinesAt(chunks: Chunks, asOf: number): Float64Array | undefined {
  const chunk = chunks[Math.floor((asOf - 1) / chunkSize)]
  const norm = chunk && squareAt(chunk, (asOf - 1) % chunkSize, asOf)
  if (!norm) return undefined
  const { length } = chunk
  const from = ((asOf - 1) % chunkSize) * length
  const query = chunk.numbers.subarray(from, from + length)
  const cosines = new Float64Array(asOf - 1).fill(Number.NEGATIVE_INFINITY)
  for (let first = 0; first < cosines.length; first += chunkSize) {
    const other = chunks[first / chunkSize]
    if (other?.length !== length) continue
    const products = dots(query, other.numbers)
    const count = Math.min(chunkSize, cosines.length - first)
    for (let at = 0; at < count; at++) {
      const square = squareAt(other, at, asOf)
      if (square > 0)
        cosines[first + at] = Math.round((fine * products[at]!) / Math.sqrt(norm * square))
    }
  }
  return cosines
}

/** The sum of the squares of an entry's numbers; 0 if it has no vector that counts at a place. */
const squareAt = ({ since, squares }: VectorChunk, at: number, asOf: number): number =>
  since[at]! <= asOf ? squares[at]! : 0
