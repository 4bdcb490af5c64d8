import { describe, expect, it } from 'vitest'
import { chunkSize, chunkUpTo, emptyChunk, packChunk, unpackChunk } from './vector-chunk.ts'

const since = Uint32Array.from({ length: chunkSize }, (_, at) => (at < 3 ? at + 5 : 0))
const vectors = emptyChunk.vectors.map((_, at) => (at < 3 && at !== 1 ? Int8Array.of(at, -127) : undefined))
const chunk = { since, vectors }

describe('a chunk of vectors', () => {
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
    expect(chunkUpTo(chunk, 6).vectors[2]).toBeUndefined()
    expect([...chunkUpTo(chunk, 9, 1).since.slice(0, 3)]).toEqual([5, 0, 0])
  })
})
