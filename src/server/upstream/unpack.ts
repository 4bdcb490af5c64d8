import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream'
import * as zlib from 'node:zlib'

/** How answers may be packed. Upstreams and proxies before them pack what nobody asked them to. */
const unpackers: ReadonlyMap<string, () => zlib.Gunzip | zlib.Inflate | zlib.BrotliDecompress> = new Map([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
])

/** The bytes of an answer, unpacked if its header says that they are packed in a way that is known here. */
export function unpacked(body: Readable, encoding: string | string[] | undefined): Readable {
  const unpack = unpackers.get(
    String(encoding ?? '')
      .trim()
      .toLowerCase(),
  )
  // An error of either is that of the stream that is read.
  return unpack ? pipeline(body, unpack(), () => {}) : body
}

/** Whether a client takes answers that are packed so, by its header `accept-encoding`. */
export function accepts(accepted: string | undefined, encoding: string): boolean {
  return (accepted ?? '').split(',').some(one => {
    const [name = '', ...options] = one.split(';').map(part => part.trim().toLowerCase())
    return (name === encoding || name === '*') && !options.some(option => /^q=0(?:\.0*)?$/.test(option))
  })
}

export const isPacked = (encoding: string | string[] | undefined): encoding is string =>
  typeof encoding === 'string' && unpackers.has(encoding.trim().toLowerCase())
