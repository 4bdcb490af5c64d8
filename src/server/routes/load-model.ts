import type { Adapter, ChatRequest } from '../adapters/index.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { toStream } from './pass-on.ts'

interface ModelLoad {
  readonly adapter: Adapter
  readonly request: Request
  readonly read: ChatRequest
  readonly body: Buffer
  readonly now: () => number
}

/**
 * Loads or unloads a model: a request of Ollama's without messages, which is no part of any conversation. An upstream that
 * has no such request keeps its models as it likes, and the client is told that all is well.
 */
export async function loadModel(upstream: Upstream, load: ModelLoad): Promise<Response> {
  const { adapter, request, read, body, now } = load
  if (upstream.kind === 'openai' || upstream.kind === 'anthropic') {
    const start = { id: '', time: now(), model: read.model, request: read, promptTokens: 0 }
    const end = { reason: 'stop', text: '', thinking: '', calls: [], usage: {} } as const
    return Response.json(adapter.whole(start, end))
  }
  const { 'content-encoding': _, ...headers } = Object.fromEntries(request.headers)
  const { signal } = request
  const answer = await upstream.pass({ method: 'POST', path: '/api/chat', headers, body, signal })
  return new Response(toStream(answer.body), { status: answer.status, headers: answer.headers })
}
