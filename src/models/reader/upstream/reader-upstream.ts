import { InvalidOptionError } from '../../../log/error.ts'
import { type ReaderOptions, reader } from '../reader.ts'
import { ollamaFace } from './ollama-face.ts'
import { ollamaFacts } from './ollama-facts.ts'
import { openAiFace } from './openai-face.ts'
import type { Handler, Upstream } from './upstream.ts'

/** What a test may look at of a request. */
export interface SeenRequest {
  /** `/api/chat`, `/v1/chat/completions`, … */
  readonly path: string
  /** Aborted when the client goes away before the answer is whole. */
  readonly signal: AbortSignal
}

export interface ReaderUpstreamOptions
  extends Pick<ReaderOptions, 'window' | 'count' | 'answers' | 'delayMs' | 'wait'> {
  /** The names that it answers to; each also with `:latest`. Default `['reader']`. */
  readonly models?: readonly string[]
  /** Gets every body that was sent, parsed, before it is answered. */
  readonly onRequest?: (body: unknown, seen: SeenRequest) => void
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

/**
 * Serves the reader as Ollama would be served, for tests and demonstrations: `/api/chat` and its neighbours, and
 * `/v1/chat/completions`. Any server that speaks `fetch` can carry it.
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
    open: ({ name, overflow, windowAsked = window }) =>
      reader({ ...options, name, overflow, window: Math.min(window, windowAsked) }),
  }
  const routes: Readonly<Record<string, Handler>> = {
    ...ollamaFacts(upstream),
    ...ollamaFace(upstream),
    ...openAiFace(upstream),
  }

  return async request => {
    const { pathname: path } = new URL(request.url)
    // HEAD is answered as GET is, without the body.
    const method = request.method === 'HEAD' ? 'GET' : request.method
    const handle = routes[`${method} ${path}`]
    if (handle === undefined) return new Response('404 page not found', { status: 404 })
    const left = new AbortController()
    request.signal.addEventListener('abort', () => left.abort(request.signal.reason), { once: true })
    const body = method === 'POST' ? parse(await request.text()) : undefined
    onRequest(body, { path, signal: left.signal })
    try {
      const response = await handle(body, left)
      return request.method === 'HEAD' ? new Response(null, response) : response
    } catch (error) {
      // Nobody is there to read it: the status is for logs.
      if (left.signal.aborted) return new Response(null, { status: 499 })
      throw error
    }
  }
}

/** Undefined for what is no JSON object: each face has its own words for that. */
function parse(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
