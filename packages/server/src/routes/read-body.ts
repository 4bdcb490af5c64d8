import { pipeline, Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import { unpackers as commonUnpackers } from '../upstream/connection.ts'

/**
 * The bytes of a body, unpacked. `most` holds for the packed and for the unpacked bytes: a small body may unpack to a huge
 * one.
 */
export async function readBody(request: Request, most: number): Promise<Buffer> {
  const unpack = unpackerOf(request)
  return unpack(await bodyOf(request, most), most)
}

/** How the body of a request is unpacked. Throws if that is not known. */
export function unpackerOf(request: Request): (bytes: Buffer, most: number) => Promise<Buffer> {
  const open = openerOf(request)
  return open ? (bytes, most) => textOf(open([bytes]), most) : async bytes => bytes
}

/** The bytes of a body piece by piece, unpacked. `most` holds for the packed and for the unpacked bytes. */
export async function* unpackedBody(request: Request, most: number): AsyncGenerator<Uint8Array> {
  const open = openerOf(request)
  const body = atMost(request.body ?? [], most)
  yield* open ? atMost(open(body), most) : body
}

type Pieces = AsyncIterable<Uint8Array> | Iterable<Uint8Array>

/** Unpacks the pieces of a body; undefined where it is not packed. */
function openerOf({
  headers,
}: Request): ((pieces: Pieces) => AsyncIterable<Uint8Array>) | undefined {
  const encoding = headers.get('content-encoding')?.trim().toLowerCase() ?? ''
  if (encoding === '' || encoding === 'identity') return undefined
  const create = unpackers.get(encoding)
  if (!create) throw unknownEncoding(encoding)
  return async function* (pieces) {
    try {
      // An error of the first is passed on.
      yield* pipeline(Readable.from(pieces), create(), () => {}) as AsyncIterable<Uint8Array>
    } catch (error) {
      if (error instanceof ThroughlineError) throw error
      throw new BadRequestError(
        `The body is not packed as its header "content-encoding: ${encoding}" says.`,
      )
    }
  }
}

/** Node can unpack zstd since 22.15; the types of older ones do not know of it. */
const { createZstdDecompress } = zlib as { readonly createZstdDecompress?: () => Transform }

const unpackers: ReadonlyMap<string, () => Transform> = new Map([
  ...commonUnpackers,
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
export async function* atMost(body: Pieces, most: number): AsyncGenerator<Uint8Array> {
  let bytes = 0
  for await (const chunk of body) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge(most)
    yield chunk
  }
}

/** The whole body of a request. One that says that it is too large is refused before it is read. */
export async function bodyOf(request: Request, most: number): Promise<Buffer> {
  const length = request.headers.get('content-length')
  if (Number(length ?? 0) > most) throw tooLarge(most)
  if (length === null)
    return request.body ? textOf(request.body, most).catch(orLeft) : Buffer.alloc(0)
  // HTTP holds the client to the length that it told, so the body needs no stream, which costs more than all else here.
  const bytes = Buffer.from(await request.arrayBuffer().catch(orLeft))
  if (bytes.length > most) throw tooLarge(most)
  return bytes
}

/** A body that ends too early is no fault of the server. */
function orLeft(error: unknown): never {
  if (error instanceof ThroughlineError) throw error
  throw new ThroughlineError('client_left', 'The client left before its request was whole.')
}

const tooLarge = (most: number) =>
  new ThroughlineError('too_large', `The body has more than ${most} bytes: see "maxBody".`)

export async function textOf(body: AsyncIterable<Uint8Array>, most: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of atMost(body, most)) chunks.push(chunk)
  return Buffer.concat(chunks)
}
