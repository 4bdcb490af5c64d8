import { InvalidOptionError } from '../../../log/error.ts'
import { parseJsonObject } from '../../../log/parse-json.ts'
import { type ReaderOptions, reader } from '../reader.ts'
import { ollamaFace } from './ollama-face.ts'
import { openAiFace } from './openai-face.ts'
import type { Routes, Upstream } from './serve.ts'

/** What `onRequest` sees of a request. */
export interface SeenRequest {
  /** `/api/chat`, `/v1/chat/completions`, … */
  readonly path: string
  /** Aborted when the client leaves before the end of the answer. */
  readonly signal: AbortSignal
}

export interface ReaderUpstreamOptions
  extends Pick<ReaderOptions, 'window' | 'count' | 'answers' | 'delayMs' | 'wait'> {
  /** The names of the served models; each also works with `:latest`. Default `['reader']`. */
  readonly models?: readonly string[]
  /** Called with every parsed body before it is answered. */
  readonly onRequest?: (body: unknown, seen: SeenRequest) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Serves the reader for tests and demonstrations, with the routes of Ollama and `/v1/chat/completions`. Works in any server
 * that takes a `fetch` handler.
 *
 * @example
 * const upstream = readerUpstream({ window: 2048 })
 * const response = await upstream(new Request('http://reader/api/version'))
 */
export function readerUpstream({
  models = ['reader'],
  window = 4096,
  onRequest = () => {},
  now = Date.now,
  ...options
}: ReaderUpstreamOptions = {}): (request: Request) => Promise<Response> {
  if (models.length === 0) throw new InvalidOptionError('models', 'must name at least one')
  const upstream: Upstream = {
    models,
    window,
    now,
    hasModel: name => models.some(model => name === model || name === `${model}:latest`),
    open: ({ window: asked = window, ...request }) =>
      reader({ ...options, ...request, window: Math.min(window, asked) }),
  }
  const routes: Routes = { ...ollamaFace(upstream), ...openAiFace(upstream) }

  return async request => {
    const { pathname: path } = new URL(request.url)
    // HEAD is answered like GET, without a body.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const handle = routes[`${method} ${path}`]
    if (handle === undefined) return new Response('404 page not found', { status: 404 })
    const left = new AbortController()
    request.signal.addEventListener('abort', () => left.abort(request.signal.reason), { once: true })
    // Undefined if the body is no JSON object: each protocol has its own error for that.
    const body = method === 'POST' ? parseJsonObject(await request.text()) : undefined
    onRequest(body, { path, signal: left.signal })
    try {
      const response = await handle(body, left)
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      // The client has left: the status is only for logs.
      if (left.signal.aborted) return new Response(null, { status: 499 })
      throw error
    }
  }
}
