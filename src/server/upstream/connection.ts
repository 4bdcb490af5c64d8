import { type Dispatcher, Pool } from 'undici'
import { parseJson } from '../../log/parse-json.ts'
import { checkAddress, secretsOf } from '../../models/check-options.ts'
import { ModelError } from '../../models/model.ts'
import { readFault, readStart } from '../../models/read-fault.ts'
import {
  type Server,
  toNetworkError,
  toStatusError,
  toStreamError,
  toWireError,
} from '../../models/to-model-error.ts'
import { joinPieces } from '../../models/whole-pieces.ts'
import { headersBack, headersOn } from './pass-headers.ts'
import { accepts, isPacked, unpacked } from './unpack.ts'
import type { PassedAnswer, PassedRequest } from './upstream.ts'

export interface ConnectionOptions {
  readonly url: string
  /** Sent as `Authorization: Bearer …`. */
  readonly apiKey?: string
  /** With every request. */
  readonly headers?: Readonly<Record<string, string>>
  readonly timeouts?: Partial<UpstreamTimeouts>
}

/** In milliseconds. */
export interface UpstreamTimeouts {
  /** Until the connection stands. */
  readonly connect: number
  /** Until an answer begins: a model may have to be loaded, and a long prompt be read. */
  readonly first: number
  /** Between two pieces of an answer. */
  readonly silence: number
  /** For questions that need no model: its window, the list of models. */
  readonly facts: number
}

export const defaultTimeouts: UpstreamTimeouts = {
  connect: 10_000,
  first: 600_000,
  silence: 300_000,
  facts: 10_000,
}

/** The connections to one upstream, kept open between requests. Redirects are not followed. */
export interface Connection {
  readonly address: string
  /** What no error may hold. */
  readonly secrets: readonly string[]
  /** The answer to a request, if its status is good; else throws what the upstream said. */
  ask(question: Question, server: Server): Promise<Answered>
  /** A JSON answer of limited size. */
  askFacts(question: Question, server: Server): Promise<unknown>
  /** Sends a request on as it is. */
  pass(request: PassedRequest, server: Server): Promise<PassedAnswer>
  close(): Promise<void>
}

export interface Question {
  readonly path: string
  /** Sent as JSON by POST; without it the method is GET. */
  readonly body?: unknown
  readonly signal?: AbortSignal | undefined
}

export interface Answered {
  readonly bytes: AsyncIterable<Uint8Array>
  /** Ends the answer. If all of it was read, the connection is used again; else it is closed, so that the upstream stops. */
  close(isWhole: boolean): void
}

export function openConnection({ url, apiKey, headers = {}, timeouts }: ConnectionOptions): Connection {
  const address = checkAddress('upstream', url)
  const { origin, pathname } = new URL(address)
  const base = pathname.replace(/\/+$/, '')
  const limits = { ...defaultTimeouts, ...timeouts }
  const own = { ...headers, ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }) }
  const pool = new Pool(origin, {
    headersTimeout: limits.first,
    bodyTimeout: limits.silence,
    connect: { timeout: limits.connect },
  })

  async function request(
    options: Omit<Dispatcher.RequestOptions, 'path'> & { path: string },
    server: Server,
  ): Promise<Dispatcher.ResponseData> {
    const signal = options.signal as AbortSignal | undefined
    signal?.throwIfAborted()
    try {
      const response = await pool.request({ ...options, path: base + options.path })
      // Whoever reads the body gets its error; without this one, an error before that would end the process.
      response.body.on('error', () => {})
      return response
    } catch (error) {
      signal?.throwIfAborted()
      throw isInvalid(error) ? toWireError(server, error, false) : toNetworkError(server, error)
    }
  }

  async function ask(question: Question, server: Server, most?: number): Promise<Answered> {
    const { path, body, signal } = question
    const { statusCode, headers, ...response } = await request(
      {
        path,
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          accept: '*/*',
          'accept-encoding': 'identity',
          ...(body === undefined ? {} : json),
          ...own,
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal ? { signal } : {}),
        ...(most === undefined ? {} : { headersTimeout: most, bodyTimeout: most }),
      },
      server,
    )
    const said = unpacked(response.body, headers['content-encoding'])
    if (statusCode < 200 || statusCode > 299) {
      const fault = readFault(await readStart(said))
      signal?.throwIfAborted()
      throw toStatusError(server, statusCode, fault, new Headers(headersBack(headers)))
    }
    return {
      bytes: { [Symbol.asyncIterator]: () => said.iterator({ destroyOnReturn: false }) },
      close(isWhole) {
        if (isWhole) response.body.dump().catch(() => {})
        else response.body.destroy()
      },
    }
  }

  return {
    address,
    secrets: secretsOf(own),
    ask: (question, server) => ask(question, server),

    async askFacts(question, server) {
      const { bytes, close } = await ask(question, server, limits.facts)
      const joiner = joinPieces(server, 'answer')
      let isWhole = false
      try {
        for await (const chunk of bytes) joiner.add(chunk)
        isWhole = true
      } catch (error) {
        question.signal?.throwIfAborted()
        throw toWireError(server, error, true)
      } finally {
        close(isWhole)
      }
      const value = parseJson(new TextDecoder().decode(joiner.rest()))
      if (value !== undefined) return value
      throw new ModelError('model_refused', `${server.name} gave no JSON at ${question.path}.`)
    },

    async pass({ method, path, headers, body, signal }, server) {
      let clientFault: { readonly error: unknown } | undefined
      const sent = {
        path,
        method: method as Dispatcher.HttpMethod,
        headers: { ...headersOn(headers, body), ...own },
        ...(body === undefined ? {} : { body: toBody(body, error => (clientFault = { error })) }),
        ...(signal ? { signal } : {}),
      }
      const response = await request(sent, server).catch(error => {
        throw clientFault ? clientFault.error : error
      })
      const { statusCode: status } = response
      // The client would follow it, past this server.
      if (status >= 300 && status < 400 && status !== 304) {
        response.body.destroy()
        throw toStatusError(server, status, { words: '', code: '' }, new Headers())
      }
      const back = headersBack(response.headers)
      const { 'content-encoding': encoding, 'content-length': _, ...rest } = back
      // A client that did not ask for packed bytes may not know how to unpack them.
      const isUnasked = isPacked(encoding) && !accepts(headers['accept-encoding'], encoding)
      const bytes = isUnasked ? unpacked(response.body, encoding) : response.body
      return { status, headers: isUnasked ? rest : back, body: readPassed(bytes, server, signal) }
    },

    // Not `close`, which waits for answers that nobody may be reading.
    close: () => pool.destroy(),
  }
}

/** A body for undici, which takes any iterable though its types do not say so. A client that breaks off is told apart. */
function toBody(body: AsyncIterable<Uint8Array> | Uint8Array, failed: (error: unknown) => void): Uint8Array {
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

async function* readPassed(body: AsyncIterable<Uint8Array>, server: Server, signal: AbortSignal | undefined) {
  try {
    yield* body
  } catch (error) {
    signal?.throwIfAborted()
    throw toStreamError(server, 'broke off in the middle of its answer', undefined, error)
  }
}

const json = { 'content-type': 'application/json' }

/** Whether undici refused to send a request at all. */
function isInvalid(error: unknown): boolean {
  return (error as { code?: unknown }).code === 'UND_ERR_INVALID_ARG'
}
