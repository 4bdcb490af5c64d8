import { pipeline, type Readable, type Transform } from 'node:stream'
import * as zlib from 'node:zlib'
import {
  type AskedServer,
  checkAddress,
  isSoundStatus,
  repeatsSent,
  secretsOf,
  toSendError,
  toStatusError,
  toStreamError,
} from '@throughline/models/model'
import type { ServerConnection } from '@throughline/models/wire'
import { type Dispatcher, Pool } from 'undici'
import { credentialFor, type KeyScheme } from './credential.ts'
import { headersBack, headersOn } from './pass-headers.ts'
import type { PassedAnswer, PassedRequest } from './upstream.ts'

export interface UpstreamConnectionOptions {
  readonly url: string
  /** The key of the upstream. Default: that of the client whose request is answered. */
  readonly apiKey?: string
  readonly keyScheme?: KeyScheme
  /** With every request that does not say otherwise. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<UpstreamTimeouts>
}

/** In milliseconds. */
const defaultTimeouts = {
  connect: 10_000,
  /** Until an answer begins: a model may have to be loaded, and a long prompt be read. */
  first: 600_000,
  /** Between two pieces of an answer. */
  silence: 300_000,
  /** For questions that need no model: its window, the list of models. */
  facts: 10_000,
}

export type UpstreamTimeouts = Readonly<typeof defaultTimeouts>

export interface PoolConnection extends ServerConnection {
  readonly isKeyed: boolean
  pass(request: PassedRequest, server: AskedServer): Promise<PassedAnswer>
  close(): Promise<void>
}

/** By undici's pool and not by `fetch`, which unpacks answers, adds headers and has the same timeouts for all requests. */
export function openConnection(options: UpstreamConnectionOptions): PoolConnection {
  const { apiKey, keyScheme = 'bearer', headers: always = {}, timeouts } = options
  const address = checkAddress('upstream', options.url)
  const { origin, pathname } = new URL(address)
  const base = pathname.replace(/\/+$/, '')
  const limits = { ...defaultTimeouts, ...timeouts }
  const key = () => {
    if (apiKey === undefined) return credentialFor(keyScheme)
    return keyScheme === 'bearer' ? { authorization: `Bearer ${apiKey}` } : { [keyScheme]: apiKey }
  }
  /** What a client may read of an answer. */
  const masked = (bytes: AsyncIterable<Uint8Array>) =>
    apiKey === undefined ? bytes : maskKey(bytes, apiKey)
  const pool = new Pool(origin, {
    headersTimeout: limits.first,
    bodyTimeout: limits.silence,
    connect: { timeout: limits.connect },
  })

  async function request(options: Dispatcher.RequestOptions): Promise<Dispatcher.ResponseData> {
    const response = await pool.request({ ...options, path: base + options.path })
    // The reader of the body gets its error; without this one, an error before that would end the process.
    response.body.on('error', () => {})
    return response
  }

  return {
    address,
    isKeyed: apiKey !== undefined,
    secrets: () => secretsOf({ ...always, ...key() }),

    async send({ path, method, headers: requestHeaders, body, signal, isFact }) {
      const { statusCode, headers, ...response } = await request({
        path,
        method,
        body,
        signal,
        headers: {
          accept: '*/*',
          ...always,
          ...requestHeaders,
          'accept-encoding': 'identity',
          ...key(),
        },
        ...(isFact && { headersTimeout: limits.facts, bodyTimeout: limits.facts }),
      })
      const unpackedBody = unpacked(response.body, headers['content-encoding'])
      const back = headersBack(headers)
      const bytes = {
        [Symbol.asyncIterator]: () => unpackedBody.iterator({ destroyOnReturn: false }),
      }
      return {
        status: statusCode,
        header: name => back[name],
        headers: back,
        bytes: masked(bytes),
        close(isWhole) {
          if (isWhole) response.body.dump().catch(() => {})
          else response.body.destroy()
        },
      }
    },

    async pass({ method, path, headers, body, signal }, server) {
      signal?.throwIfAborted()
      let clientFault: { readonly error: unknown } | undefined
      const response = await request({
        path,
        method: method as Dispatcher.HttpMethod,
        headers: { ...always, ...headersOn(headers, body), ...key() },
        body: body && toBody(body, error => (clientFault = { error })),
        signal,
      }).catch((error: unknown) => {
        if (clientFault) throw clientFault.error
        signal?.throwIfAborted()
        throw toSendError(server, error)
      })
      const { statusCode: status } = response
      // A redirect would be followed past this server; "not modified" answers only a client that asked so.
      const isUnchanged = status === 304 && conditions.some(name => headers[name] !== undefined)
      if (!isSoundStatus(status) && !isUnchanged) {
        response.body.destroy()
        throw toStatusError(server, { status, header: () => undefined }, { words: '', code: '' })
      }
      const back = headersBack(response.headers)
      const { 'content-encoding': encoding, 'content-length': _, ...rest } = back
      const isFault = status >= 400 && apiKey !== undefined
      // A client that did not ask for packed bytes may not know how to unpack them. A fault is looked into.
      const isOpened =
        isPacked(encoding) && (isFault || !accepts(headers['accept-encoding'], encoding))
      const bytes = isOpened ? unpacked(response.body, encoding) : response.body
      const isReadable = isOpened || encoding === undefined || encoding === 'identity'
      const shown = isReadable && !isFault ? masked(bytes) : bytes
      const answer = {
        status,
        headers: isOpened ? rest : back,
        body: readPassed(shown, server, signal),
      }
      if (!isFault) return answer
      const fault = isReadable ? await beginningOf(answer.body) : undefined
      if (!isReadable) response.body.destroy()
      const words = [fault?.toString('utf8'), ...Object.values(back)].join(' ')
      // The key is the operator's, and the answer goes to a client.
      if (!fault || repeatsSent(words, secretsOf(key())))
        throw toStatusError(server, { status, header: name => back[name] }, { words: '', code: '' })
      return { ...answer, body: new Blob([fault]).stream() }
    },

    // Not `close`: it waits for answers, also for those that are no longer read.
    close: () => pool.destroy(),
  }
}

/** The headers with which a client asks only for what has changed. */
const conditions = ['if-none-match', 'if-modified-since'] as const

/** A body for undici, which takes any iterable though its types do not say so. A client that breaks off is told apart. */
function toBody(
  body: AsyncIterable<Uint8Array> | Uint8Array,
  failed: (error: unknown) => void,
): Uint8Array {
  return body instanceof Uint8Array ? body : (read() as unknown as Uint8Array)

  async function* read() {
    try {
      yield* body as AsyncIterable<Uint8Array>
    } catch (error) {
      failed(error)
      throw error
    }
  }
}

const mostOfFault = 64 * 1024

async function beginningOf(body: AsyncIterable<Uint8Array>) {
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of body) {
    pieces.push(piece)
    size += piece.length
    if (size >= mostOfFault) break
  }
  return Buffer.concat(pieces).subarray(0, mostOfFault)
}

async function* readPassed(
  body: AsyncIterable<Uint8Array>,
  server: AskedServer,
  signal?: AbortSignal,
) {
  try {
    yield* body
  } catch (error) {
    signal?.throwIfAborted()
    throw toStreamError(server, 'broke off in the middle of its answer', undefined, error)
  }
}

/** How bodies may be packed. Some upstreams and proxies pack without being asked. */
export const unpackers: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => zlib.createGunzip()],
  ['x-gzip', () => zlib.createGunzip()],
  ['deflate', () => zlib.createInflate()],
  ['br', () => zlib.createBrotliDecompress()],
])

/** The bytes of an answer, unpacked if its header says that they are packed in a way that is known here. */
function unpacked(body: Readable, encoding: string | string[] | undefined): Readable {
  // An error of either is that of the stream that is read.
  return isPacked(encoding) ? pipeline(body, unpackers.get(nameOf(encoding))!(), () => {}) : body
}

/** Whether a client takes answers that are packed so, by its header `accept-encoding`. */
function accepts(accepted: string | undefined, encoding: string): boolean {
  return (accepted ?? '').split(',').some(one => {
    const [name = '', ...options] = one.split(';').map(part => part.trim().toLowerCase())
    return (
      (name === encoding || name === '*') && !options.some(option => /^q=0(?:\.0*)?$/.test(option))
    )
  })
}

const isPacked = (encoding: string | string[] | undefined): encoding is string =>
  typeof encoding === 'string' && unpackers.has(nameOf(encoding))

const nameOf = (encoding: string) => encoding.trim().toLowerCase()

/** A shorter key may be a word that models say, such as "ollama". */
const shortest = 12

/** Stars out the operator's key, byte for byte. A piece that may end with the beginning of the key is held back up to there. */
async function* maskKey(bytes: AsyncIterable<Uint8Array>, key: string): AsyncGenerator<Uint8Array> {
  const secret = Buffer.from(key)
  let held = Buffer.alloc(0)
  for await (const piece of bytes) {
    const all = Buffer.concat([held, piece])
    if (secret.length >= shortest)
      for (let at = all.indexOf(secret); at >= 0; at = all.indexOf(secret, at)) {
        all.fill('*', at, at + secret.length)
      }
    const end = all.length - begunAtEnd(all, secret)
    if (end > 0) yield all.subarray(0, end)
    held = all.subarray(end)
  }
  if (held.length > 0) yield held
}

/** How many of the last bytes are the first of the key. */
function begunAtEnd(bytes: Buffer, secret: Buffer): number {
  if (secret.length < shortest) return 0
  let count = Math.min(bytes.length, secret.length - 1)
  while (count > 0 && !bytes.subarray(-count).equals(secret.subarray(0, count))) count -= 1
  return count
}
