/** The model server of the comparison, and what reaches it. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import type { MessageLike } from 'throughline'
import { readerServer } from 'throughline/testing'

export interface ModelServer {
  readonly url: string
  /** The messages of the last chat request, as they arrived. */
  last(): readonly MessageLike[]
  close(): void
}

/** The built-in reader, served as Ollama would serve it; or, with an address, another server that is listened in on. */
export async function startModelServer(window: number, upstream?: string): Promise<ModelServer> {
  let messages: readonly MessageLike[] = []
  const hear = (body: unknown, path: string) => {
    if (path === '/api/chat') messages = (body as { messages?: MessageLike[] }).messages ?? []
  }
  const answer = upstream
    ? passOn(upstream, hear)
    : readerServer({ window, onRequest: (body, { path }) => hear(body, path) })
  const server = createAdaptorServer({ fetch: answer })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${port}`, last: () => messages, close: () => void server.close() }
}

function passOn(upstream: string, hear: (body: unknown, path: string) => void) {
  return async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url)
    const { method, signal } = request
    const body = method === 'POST' ? await request.text() : null
    if (body) hear(JSON.parse(body), pathname)
    const {
      status,
      headers,
      body: answer,
    } = await fetch(upstream.replace(/\/$/, '') + pathname, { method, body, signal })
    return new Response(answer, {
      status,
      headers: { 'content-type': headers.get('content-type') ?? '' },
    })
  }
}
