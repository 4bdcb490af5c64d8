import { ThroughlineError } from '../log/error.ts'
import { ModelError } from './model-error.ts'
import { readFault } from './read-fault.ts'
import { safeCause } from './safe-cause.ts'
import {
  isTimeout,
  type Server,
  toClientError,
  toNetworkError,
  toStatusError,
  toStreamError,
} from './to-model-error.ts'
import { type Piece, wholePieces } from './whole-pieces.ts'

export interface WireOptions {
  readonly server: Server
  readonly fetch?: typeof globalThis.fetch
  readonly signal?: AbortSignal | undefined
  /** What the answer comes in. Default: one piece. */
  readonly piece?: Piece
  /** Looks at the pieces of a stream before the client does. */
  readonly check?: () => TransformStream<Uint8Array, Uint8Array>
}

/** One request's own way to the server: what cancels it cancels no other. */
export interface Wire {
  /** For the client library. It sees good answers only: some libraries print what they cannot read, or drop the headers. */
  readonly fetch: typeof globalThis.fetch
  /** What an error means, wherever it was caught. */
  toError(error: unknown): unknown
  /** Ends the connection, unless everything came: then it can be used again. */
  close(isWhole: boolean): void
}

export function openWire(options: WireOptions): Wire {
  const { server, fetch = globalThis.fetch, signal, piece = 'answer', check } = options
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  let failure: ModelError | undefined
  let hasAnswered = false

  async function ask(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    signal?.throwIfAborted()
    init.signal?.addEventListener('abort', () => controller.abort(init.signal?.reason))
    // Clients wrap or lose what is thrown here, so it is kept too.
    const response = await fetch(input, { ...init, signal: controller.signal }).catch(error => {
      failure = toNetworkError(server, error)
      throw failure
    })
    if (!response.ok) {
      const fault = readFault(await readStart(response))
      failure = toStatusError(server, response.status, fault, response.headers)
      throw failure
    }
    hasAnswered = true
    if (!response.body) return response
    const { status, headers } = response
    const pieces = response.body.pipeThrough(wholePieces(server, piece))
    return new Response(check ? pieces.pipeThrough(check()) : pieces, { status, headers })
  }

  return {
    fetch: ask,
    toError(error) {
      if (signal?.aborted) return signal.reason
      if (error instanceof ModelError) return error
      if (failure) return failure
      if (error instanceof ThroughlineError) {
        return new ModelError('model_refused', error.message, { cause: error })
      }
      const cause = safeCause(error, server.sent())
      if (isTimeout(error)) return toNetworkError(server, cause)
      return hasAnswered
        ? toStreamError(server, 'broke off in the middle of its answer', undefined, cause)
        : toClientError(server, error, cause)
    },
    close(isWhole) {
      signal?.removeEventListener('abort', abort)
      if (!isWhole) controller.abort()
    },
  }
}

/** The beginning of an error's body: a server that sends a film instead is not read to its end. */
async function readStart(response: Response, limit = 65_536): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for (const reader = response.body?.getReader(); reader && text.length < limit; ) {
      const { done, value } = await reader.read()
      if (done) return text
      text += decoder.decode(value, { stream: true })
      if (text.length >= limit) await reader.cancel()
    }
  } catch {
    // The status says enough.
  }
  return text
}
