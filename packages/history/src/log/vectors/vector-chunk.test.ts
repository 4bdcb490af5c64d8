import { describe, expect, it } from 'vitest'
import {
  chunkSize,
  chunkUpTo,
  emptyChunk,
  packChunk,
  toChunk,
  unpackChunk,
  vectorsOf,
} from './vector-chunk.ts'

const since = Uint32Array.from({ length: chunkSize }, (_, at) => (at < 3 ? at + 5 : 0))
const vectors = [Int8Array.of(0, -127), undefined, Int8Array.of(2, -127)]
const chunk = toChunk(since, vectors)

describe('a chunk of vectors', () => {
  it('has the vectors that it was made of', () => {
    expect(vectorsOf(chunk)).toEqual(vectors.concat(new Array(chunkSize - 3).fill(undefined)))
    expect([...chunk.squares.slice(0, 4)]).toEqual([127 ** 2, 0, 4 + 127 ** 2, 0])
  })

  it('is the same after it was packed', () => {
    expect(unpackChunk(packChunk(chunk))).toEqual(chunk)
    expect(unpackChunk(packChunk(emptyChunk))).toEqual(emptyChunk)
    // Also from the middle of a larger buffer, as databases give it.
    const bytes = packChunk(chunk)
    const larger = new Uint8Array(bytes.length + 7)
    larger.set(bytes, 3)
    expect(unpackChunk(larger.subarray(3, 3 + bytes.length))).toEqual(chunk)
  })

  it('is none where its bytes were changed', () => {
    const bytes = packChunk(chunk)
    expect(unpackChunk(bytes.subarray(0, bytes.length - 1))).toBeUndefined()
    expect(unpackChunk(bytes.map((byte, at) => (at === 40 ? byte ^ 1 : byte)))).toBeUndefined()
    expect(unpackChunk(new Uint8Array())).toBeUndefined()
  })

  it('leaves out what counts later, and entries after a place', () => {
    expect([...chunkUpTo(chunk, 6).since.slice(0, 4)]).toEqual([5, 6, 0, 0])
    expect(vectorsOf(chunkUpTo(chunk, 6)).slice(0, 3)).toEqual([vectors[0], undefined, undefined])
    expect(unpackChunk(packChunk(chunkUpTo(chunk, 6)))?.squares[2]).toBe(0)
    expect([...chunkUpTo(chunk, 9, 1).since.slice(0, 3)]).toEqual([5, 0, 0])
  })
})
