import { seal, unseal } from '@throughline/core/conversation'
import { dot } from './dots.ts'

/** Changes with the layout: a piece of another version is not used. */
const version = 1

/** Entries in one stored piece: a turn rewrites one of them, 100 kB with vectors of 768 numbers. */
export const chunkSize = 128

/** The vectors of entries in a row. Never changed: what is added makes a new one. */
export interface VectorChunk {
  /** By entry: the first place of the thread at which its vector counts; 0 while it has not been asked for. */
  readonly since: Uint32Array
  /** How many numbers a vector has; 0 where no entry has one. */
  readonly length: number
  /** The vectors of all entries one after another, so that they are compared at once. */
  readonly numbers: Int8Array
  /** By entry: the sum of the squares of its numbers; 0 for one without text, or whose text the model refused. */
  readonly squares: Int32Array
}

/** By entry: a vector, or none. All have the same length. */
export type Vectors = readonly (Int8Array | undefined)[]

export function toChunk(since: Uint32Array, vectors: Vectors): VectorChunk {
  const length = vectors.find(vector => vector)?.length ?? 0
  const numbers = new Int8Array(chunkSize * length)
  const squares = new Int32Array(chunkSize)
  for (const [at, vector] of vectors.entries()) {
    if (!vector) continue
    numbers.set(vector, at * length)
    squares[at] = dot(vector, vector)
  }
  return { since, length, numbers, squares }
}

export const emptyChunk = toChunk(new Uint32Array(chunkSize), [])

export function vectorsOf({ length, numbers, squares }: VectorChunk): Vectors {
  return Array.from(squares, (square, at) =>
    square > 0 ? numbers.subarray(at * length, (at + 1) * length) : undefined,
  )
}

/** The chunk without what counts only after a place, and without entries after another. */
export function chunkUpTo(chunk: VectorChunk, since: number, entries = chunkSize): VectorChunk {
  const isKept = (at: number) => at < entries && chunk.since[at]! <= since
  return {
    ...chunk,
    since: chunk.since.map((from, at) => (isKept(at) ? from : 0)),
    squares: chunk.squares.map((square, at) => (isKept(at) ? square : 0)),
  }
}

/** Layout: the length of a vector; by entry, since when it counts and whether it has one; the vectors. */
export function packChunk(chunk: VectorChunk): Uint8Array {
  const vectors = vectorsOf(chunk)
  const filled = vectors.filter(vector => vector !== undefined)
  const length = filled[0]?.length ?? 0
  const bytes = new Uint8Array(headSize + filled.length * length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length)
  for (let at = 0; at < chunkSize; at++) {
    view.setUint32(4 + 5 * at, chunk.since[at]!)
    bytes[8 + 5 * at] = vectors[at] ? 1 : 0
  }
  for (const [at, vector] of filled.entries()) bytes.set(vector, headSize + at * length)
  return seal(version, bytes)
}

const headSize = 4 + 5 * chunkSize

/** Undefined for bytes that cannot be read. */
export function unpackChunk(sealed: Uint8Array): VectorChunk | undefined {
  try {
    const bytes = unseal(version, sealed, why => new TypeError(why))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const length = view.getUint32(0)
    const since = new Uint32Array(chunkSize)
    const vectors: (Int8Array | undefined)[] = []
    let next = headSize
    for (let at = 0; at < chunkSize; at++) {
      since[at] = view.getUint32(4 + 5 * at)
      const isKnown = bytes[8 + 5 * at] === 1
      vectors.push(
        isKnown ? new Int8Array(bytes.buffer, bytes.byteOffset + next, length) : undefined,
      )
      if (isKnown) next += length
    }
    return next === bytes.length ? toChunk(since, vectors) : undefined
  } catch {
    return undefined
  }
}
