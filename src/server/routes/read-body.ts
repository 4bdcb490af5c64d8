import type { Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { BadRequestError } from '../../log/bad-request-error.ts'
import { ThroughlineError } from '../../log/error.ts'

/**
 * The bytes of a body, unpacked. `most` holds for the packed and for the unpacked bytes: a small body may unpack to a huge
 * one.
 */
export async function readBody(request: Request, most: number): Promise<Buffer> {
  const unpack = unpackerOf(request)
  return unpack(await bodyOf(request, most), most)
}

/** How the body of a request is unpacked. Throws if that is not known. */
export function unpackerOf({ headers }: Request): (bytes: Buffer, most: number) => Promise<Buffer> {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return async bytes => bytes
  const create = unpackers.get(encoding)
  if (!create) throw unknownEncoding(encoding)
  return (bytes, most) => unpacked(create(), bytes, encoding, most)
}

async function unpacked(stream: Transform, bytes: Buffer, encoding: string, most: number): Promise<Buffer> {
  stream.end(bytes)
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

/** A stream that fails as soon as it has more bytes than it may have. */
export async function* atMost(body: AsyncIterable<Uint8Array>, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    yield chunk
  }
}

/** The whole body of a request. One that says that it is too large is refused before it is read. */
export async function bodyOf(request: Request, most: number): Promise<Buffer> {
  const told = request.headers.get('content-length')
  if (Number(told ?? 0) > most) throw tooLarge(most)
  if (told === null) return request.body ? textOf(request.body, most) : Buffer.alloc(0)
  // HTTP holds the client to the length that it told, so the body needs no stream, which costs more than all else here.
  const bytes = Buffer.from(await request.arrayBuffer())
  if (bytes.length > most) throw tooLarge(most)
  return bytes
}

const tooLarge = (most: number) =>
  new ThroughlineError('too_large', `The body has more than ${most} bytes: see "maxBody".`)

export async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of atMost(body, most)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
