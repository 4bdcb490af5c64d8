import { seal, unseal } from '../../../log/pack-bytes.ts'

/** Changes with the layout: a piece of another version is not used. */
const version = 1

/** Entries in one stored piece: a turn rewrites one of them, 100 kB with vectors of 768 numbers. */
export const chunkSize = 128

/** The vectors of entries in a row. Never changed: what is added makes a new one. */
export interface VectorChunk {
  /** By entry: the first place of the thread at which its vector counts; 0 while it has not been asked for. */
  readonly since: Uint32Array
  /** By entry; undefined also for one without text, or whose text the model refused. */
  readonly vectors: readonly (Int8Array | undefined)[]
}

export const emptyChunk: VectorChunk = {
  since: new Uint32Array(chunkSize),
  vectors: new Array<undefined>(chunkSize).fill(undefined),
}

/** The chunk without what counts only after a place, and without entries after another. */
export function chunkUpTo(chunk: VectorChunk, since: number, entries = chunkSize): VectorChunk {
  const isKept = (at: number) => at < entries && chunk.since[at]! <= since
  return {
    since: chunk.since.map((from, at) => (isKept(at) ? from : 0)),
    vectors: chunk.vectors.map((vector, at) => (isKept(at) ? vector : undefined)),
  }
}

/** Layout: the length of a vector; by entry, since when it counts and whether it has one; the vectors. */
export function packChunk({ since, vectors }: VectorChunk): Uint8Array {
  const known = vectors.filter(vector => vector !== undefined)
  const length = known[0]?.length ?? 0
  const bytes = new Uint8Array(headSize + known.length * length)
  const view = new DataView(bytes.buffer)
  view.setUint32(0, length)
  for (let at = 0; at < chunkSize; at++) {
    view.setUint32(4 + 5 * at, since[at]!)
    bytes[8 + 5 * at] = vectors[at] ? 1 : 0
  }
  for (const [at, vector] of known.entries())
    bytes.set(new Uint8Array(vector.buffer, vector.byteOffset, length), headSize + at * length)
  return seal(version, bytes)
}

const headSize = 4 + 5 * chunkSize

/** Undefined for bytes that cannot be read. */
export function unpackChunk(sealed: Uint8Array): VectorChunk | undefined {
  try {
    const bytes = unseal(version, sealed, why => new TypeError(why))
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    const length = view.getUint32(0)
    // Copied: the bytes may be part of a larger buffer.
    const data = new Int8Array(bytes.slice(headSize).buffer)
    const since = new Uint32Array(chunkSize)
    const vectors: (Int8Array | undefined)[] = []
    let next = 0
    for (let at = 0; at < chunkSize; at++) {
      since[at] = view.getUint32(4 + 5 * at)
      const isKnown = bytes[8 + 5 * at] === 1
      vectors.push(isKnown ? data.subarray(next, next + length) : undefined)
      if (isKnown) next += length
    }
    return next === data.length ? { since, vectors } : undefined
  } catch {
    return undefined
  }
}
