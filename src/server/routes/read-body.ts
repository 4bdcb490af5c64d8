import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { BadRequestError } from '../../log/bad-request-error.ts'
import { ThroughlineError } from '../../log/error.ts'
import { bodyOf, textOf } from './pass-on.ts'

/**
 * The bytes of a body, unpacked. `most` holds for the packed and for the unpacked bytes: a small body may unpack to a huge
 * one.
 */
export async function readBody(request: Request, most: number): Promise<Buffer> {
  const encoding = request.headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return bodyOf(request, most)
  const unpack = unpackers.get(encoding)
  if (!unpack) throw unknownEncoding(encoding)
  const stream = unpack()
  stream.end(await bodyOf(request, most))
  try {
    return await textOf(stream, most)
  } catch (error) {
    if (error instanceof ThroughlineError) throw error
    throw new BadRequestError(`The body is not packed as its header "content-encoding: ${encoding}" says.`)
  }
}

/** Node can unpack zstd since 22.15; the types of older ones do not know of it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Transform }

const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
  ...(createZstdDecompress ? [['zstd', () => createZstdDecompress()] as const] : []),
])

function unknownEncoding(encoding: string): ThroughlineError {
  const problem =
    encoding === 'zstd'
      ? `The body is packed with zstd, which Node ${process.versions.node} cannot unpack: run the server with Node 22.15 or newer, or send the body unpacked.`
      : `The body is packed in a way that is not known here: send it unpacked, or packed with ${[...unpackers.keys()].join(', ')}.`
  return new ThroughlineError('unsupported_encoding', problem)
}
