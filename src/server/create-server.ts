import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { createHistory, type History } from '../history/index.ts'
import type { Store } from '../stores/store.ts'
import { BadRequestError } from './bad-request-error.ts'
import type { AnswerOptions } from './exchange/answer.ts'
import { faultResponse, respond, type Served } from './exchange/respond.ts'
import { toFault } from './exchange/to-fault.ts'
import { type Face, messagesFace, ollamaFace, openaiFace } from './faces/index.ts'
import type { HeadersOf } from './identity/known-client.ts'
import type { Upstream } from './upstream/upstream.ts'

export interface ServerOptions extends AnswerOptions {
  readonly store: Store
  readonly upstream: Upstream
  /** The largest body in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
  readonly now?: () => number
  readonly newId?: () => string
  readonly onServed?: (served: Served) => void
}

export interface Server {
  fetch(request: Request): Promise<Response>
  close(): Promise<void>
}

/** The server without its port: a function from requests to responses. */
export function createServer(given: ServerOptions): Server {
  const {
    store,
    upstream,
    maxBodyBytes = 32 * 1024 * 1024,
    now = Date.now,
    newId = randomUUID,
    onServed,
  } = given
  const { window, reserve, notes, policy, retries = 1, stallMs } = given
  const options = { retries, ...present({ window, reserve, notes, policy, stallMs }) }
  const tenant = 'default'
  const history: History = createHistory({ store, tenant, now, newId })
  const app = new Hono()

  for (const [path, face] of faces) {
    for (const prefix of ['', '/c/:conversation']) {
      app.post(`${prefix}${path}`, async context => {
        const { raw } = context.req
        const requestId = requestIdOf(raw, newId)
        try {
          const named = context.req.param('conversation')
          const headers = {
            ...Object.fromEntries(raw.headers),
            ...(named !== undefined && { 'x-throughline-conversation': decodeURIComponent(named) }),
          } as HeadersOf
          const request = face.read(await readJson(raw, maxBodyBytes))
          return await respond({
            asked: {
              log: { store, history, tenant },
              face: face.name,
              request,
              headers,
              keyId: '',
              signal: raw.signal,
              newId,
            },
            face,
            requestId,
            modelFor: (name, hear) => upstream.model(name, hear),
            options,
            now,
            ...(onServed && { onServed }),
          })
        } catch (error) {
          return faultResponse(face, toFault(error), requestId, { 'x-request-id': requestId })
        }
      })
    }
  }
  app.get('/health', context => context.json({ status: 'ok', upstream: upstream.kind }))
  app.all('*', async context => {
    const { raw, path } = context.req
    const query = new URL(raw.url).search
    const { status, headers, body } = await upstream.pass({
      method: raw.method,
      path: `${path}${query}`,
      headers: Object.fromEntries(raw.headers),
      signal: raw.signal,
      ...(raw.body && { body: raw.body }),
    })
    return new Response(toStream(body), { status, headers })
  })

  return {
    fetch: async request => app.fetch(request),
    async close() {
      await upstream.close()
    },
  }
}

const faces: readonly (readonly [string, Face])[] = [
  ['/api/chat', ollamaFace],
  ['/v1/chat/completions', openaiFace],
  ['/v1/messages', messagesFace],
]

function requestIdOf({ headers }: Request, newId: () => string): string {
  const given = headers.get('x-request-id')
  return given && /^[\w.:-]{1,128}$/.test(given) ? given : newId()
}

/** A body that is read only as fast as the client reads. */
function toStream(body: AsyncIterable<Uint8Array>): ReadableStream<Uint8Array> {
  const chunks = body[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await chunks.return?.()),
    },
    { highWaterMark: 0 },
  )
}

/** Reads a body as JSON, and stops as soon as it is too large. */
async function readJson(request: Request, most: number): Promise<unknown> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of request.body ?? []) {
    bytes += chunk.byteLength
    if (bytes > most) throw new BadRequestError(`The body is larger than ${most} bytes.`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString('utf8')
  try {
    return JSON.parse(text)
  } catch {
    throw new BadRequestError('The body is no JSON.')
  }
}

const present = <Fields extends object>(fields: Fields) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Partial<Fields>
