import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { createHistory } from '../history/index.ts'
import { present } from '../log/present.ts'
import type { Store } from '../stores/store.ts'
import type { AnswerOptions } from './exchange/answer.ts'
import { type Face, messagesFace, ollamaFace, openaiFace } from './faces/index.ts'
import { type AllowedNames, checkNames } from './guard/check-host.ts'
import { answerChat, type Served } from './routes/chat-route.ts'
import { passOn } from './routes/pass-on.ts'
import type { Upstream } from './upstream/upstream.ts'

export interface ServerOptions extends AnswerOptions {
  readonly store: Store
  readonly upstream: Upstream
  /** Whether conversations are kept and fitted. Without it requests are only passed on. Default true. */
  readonly memory?: boolean
  /** The window that clients are told. Default 1,000,000: they then send everything, and the log is whole. */
  readonly promise?: number
  /** Whether clients may change the models of the upstream. Default false. */
  readonly manage?: boolean
  /** Which names clients may use for this server. Default: those of this machine. */
  readonly allowed?: AllowedNames
  /** The largest body in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
  readonly now?: () => number
  readonly newId?: () => string
  /** Called with what became of a request. */
  readonly onServed?: (served: Served) => void
}

export interface Server {
  fetch(request: Request): Promise<Response>
}

/** The server without its port: a function from requests to responses. The store and the upstream stay open. */
export function createServer(given: ServerOptions): Server {
  const { store, upstream, memory = true, promise = 1_000_000, manage = false, onServed } = given
  const { maxBodyBytes = 32 * 1024 ** 2, now = Date.now, newId = randomUUID } = given
  const { allowed = { host: '127.0.0.1', hosts: [], origins: [] } } = given
  const { window, reserve, notes, policy, retries = 1, stallMs } = given
  const options = { retries, ...present({ window, reserve, notes, policy, stallMs }) }
  const tenant = 'default'
  const log = { store, tenant, history: createHistory({ store, tenant, now, newId }) }
  const route = { upstream, options, maxBodyBytes, now, newId, onServed }
  const passing = { upstream, promise, manage, maxBodyBytes }
  const app = new Hono()

  app.use(async (context, next) => {
    const problem = checkNames(context.req.raw.headers, allowed)
    return problem === undefined ? next() : context.json({ error: problem }, 403)
  })
  app.get('/health', context => context.json({ status: 'ok', upstream: upstream.kind }))
  for (const [path, face] of memory ? faces : []) {
    for (const prefix of ['', '/c/:conversation']) {
      app.post(`${prefix}${path}`, context => {
        const { raw: request } = context.req
        const conversation = context.req.param('conversation')
        const requestId = requestIdOf(request, newId)
        return answerChat(route, { face, request, requestId, conversation, log, keyId: '' })
      })
    }
  }
  app.all('/c/:conversation/*', context =>
    passOn(context.req.raw, context.req.path.replace(/^\/c\/[^/]*/, ''), passing),
  )
  app.all('*', context => passOn(context.req.raw, context.req.path, passing))

  return { fetch: async request => app.fetch(request) }
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
