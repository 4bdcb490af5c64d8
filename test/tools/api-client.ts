import type { Route } from '@throughline/server/api/route'
import { apiBase, apiRoutes } from '@throughline/server/api/routes'
import { expect } from 'vitest'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all routes
  readonly body: any
}

export interface HeardEvent {
  readonly event: string
  readonly id?: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into events of all routes
  readonly data: any
}

/** A client of the API. `more`: routes of plugs. Every answer is checked against the schema of its route, and must have no fields beyond it. */
export function apiClient(
  url: string,
  headers: Readonly<Record<string, string>> = {},
  more: readonly Route[] = [],
) {
  const routes: readonly Route[] = [...apiRoutes, ...more]

  function routeFor(method: string, path: string): Route | undefined {
    const plain = path.replace(/\?.*$/s, '')
    const matching = routes.filter(
      route =>
        route.method.toUpperCase() === method &&
        new RegExp(`^${route.path.replace(/:\w+/g, '[^/]+')}$`).test(plain),
    )
    return matching.find(route => route.path === plain) ?? matching[0]
  }

  function request(
    method: string,
    path: string,
    body?: unknown,
    more: RequestInit = {},
  ): Promise<Response> {
    return fetch(`${url}${apiBase}${path}`, {
      method,
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...more,
      headers: { ...headers, ...(more.headers as Record<string, string>) },
    })
  }

  async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
    const response = await request(method, path, body)
    const { status, headers } = response
    const text = await response.text()
    const route = routeFor(method, path)
    if (status === 204) return { status, headers, body: undefined }
    if (!headers.get('content-type')?.startsWith('application/json'))
      return { status, headers, body: text }
    const read = JSON.parse(text)
    if (response.ok && route?.kind === 'json') expect(route.answer!.parse(read)).toEqual(read)
    if (!response.ok)
      expect(read).toEqual({ error: expect.objectContaining({ code: expect.any(String) }) })
    return { status, headers, body: read }
  }

  return {
    routes,
    request,
    get: (path: string) => ask('GET', path),
    post: (path: string, body: unknown = {}) => ask('POST', path, body),
    patch: (path: string, body: unknown) => ask('PATCH', path, body),
    remove: (path: string) => ask('DELETE', path),
    /** Reads events one by one. Breaking off closes the connection. */
    async *events(
      path: string,
      { body, lastEventId }: { readonly body?: unknown; readonly lastEventId?: string } = {},
    ): AsyncGenerator<HeardEvent> {
      const method = body === undefined ? 'GET' : 'POST'
      const leaving = new AbortController()
      const response = await request(method, path, body, {
        signal: leaving.signal,
        headers: lastEventId === undefined ? {} : { 'last-event-id': lastEventId },
      })
      if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
      expect(response.headers.get('content-type')).toBe('text/event-stream')
      const { answer } = routeFor(method, path)!
      try {
        for await (const heard of readEvents(response.body!)) {
          expect(answer!.parse(heard.data)).toEqual(heard.data)
          yield heard
        }
      } finally {
        leaving.abort()
      }
    },
    /** Sends a message and gives the whole answer. */
    async say(
      conversation: string,
      input: string,
      more: object = {},
      query = '',
    ): Promise<readonly HeardEvent[]> {
      const path = `/conversations/${encodeURIComponent(conversation)}/send${query}`
      const heard: HeardEvent[] = []
      for await (const one of this.events(path, { body: { input, ...more } })) heard.push(one)
      return heard
    },
  }
}

/** The text that a user sees of a reply. */
export const textOf = (events: readonly HeardEvent[]) =>
  events.flatMap(({ data }) => (data.type === 'text-delta' ? [data.text] : [])).join('')

async function* readEvents(body: ReadableStream<Uint8Array>): AsyncGenerator<HeardEvent> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    const events = text.split('\n\n')
    text = events.pop()!
    for (const event of events) {
      const fields = Object.fromEntries(event.split('\n').map(line => line.split(/:\s?(.*)/s, 2)))
      if (fields.data !== undefined)
        yield {
          event: fields.event,
          data: JSON.parse(fields.data),
          ...(fields.id && { id: fields.id }),
        }
    }
  }
}
