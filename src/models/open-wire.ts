import { ModelError } from './model.ts'
import { readFault, readStart } from './read-fault.ts'
import { type Server, toNetworkError, toStatusError, toWireError } from './to-model-error.ts'
import { type Piece, wholePieces } from './whole-pieces.ts'

export interface WireOptions {
  readonly server: Server
  readonly fetch?: typeof globalThis.fetch | undefined
  readonly signal?: AbortSignal | undefined
  /** The pieces that the answer comes in. Default: one. */
  readonly piece?: Piece | undefined
  /** Checks the pieces of a stream before the client reads them. `fail` keeps the error that the client would lose. */
  readonly check?:
    | ((server: Server, fail: (error: unknown) => void) => TransformStream<Uint8Array, Uint8Array>)
    | undefined
}

/** The connection of one request, which can be cancelled without others. */
export interface Wire {
  /** For the client library. Passes on good answers only: some libraries print bad ones, or drop their headers. */
  readonly fetch: typeof globalThis.fetch
  /** Finds the meaning of an error that the client threw. */
  toError(error: unknown): unknown
  /** Ends the connection. If the whole answer came, it is left open to be used again. */
  close(isWhole: boolean): void
}

export function openWire(options: WireOptions): Wire {
  const { server, fetch = globalThis.fetch, signal, piece = 'answer', check } = options
  const controller = new AbortController()
  const abort = () => controller.abort(signal?.reason)
  signal?.addEventListener('abort', abort)
  let failure: unknown
  let hasAnswered = false

  async function ask(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    signal?.throwIfAborted()
    failure = undefined
    init.signal?.addEventListener('abort', () => controller.abort(init.signal?.reason))
    // Kept, because clients wrap or lose what is thrown here.
    const response = await fetch(input, { ...init, signal: controller.signal }).catch(error => {
      failure = toNetworkError(server, error)
      throw failure
    })
    if (!response.ok) {
      const fault = readFault(await readStart(chunksOf(response.body)))
      failure = toStatusError(server, response.status, fault, response.headers)
      throw failure
    }
    hasAnswered = true
    if (!response.body) return response
    const { status, headers } = response
    const pieces = response.body.pipeThrough(wholePieces(server, piece))
    const fail = (error: unknown) => {
      failure = error
    }
    return new Response(check ? pieces.pipeThrough(check(server, fail)) : pieces, { status, headers })
  }

  return {
    fetch: ask,
    toError(error) {
      if (signal?.aborted) return signal.reason
      if (failure && !(error instanceof ModelError)) return failure
      return toWireError(server, error, hasAnswered)
    },
    close(isWhole) {
      signal?.removeEventListener('abort', abort)
      if (!isWhole) controller.abort()
    },
  }
}

async function* chunksOf(body: ReadableStream<Uint8Array> | null): AsyncGenerator<Uint8Array> {
  const reader = body?.getReader()
  try {
    for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) yield read.value
  } finally {
    await reader?.cancel()
  }
}
