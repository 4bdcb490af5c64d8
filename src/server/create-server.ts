import { randomUUID } from 'node:crypto'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import type { ExperimentTools } from '../experiment/index.ts'
import type { HistoryOptions } from '../history/index.ts'
import { rememberingStore } from '../history/log/remembering-store.ts'
import { present } from '../log/present.ts'
import type { Store } from '../stores/store.ts'
import { createCancels } from '../turn/cancels.ts'
import { createApi } from './api/create-api.ts'
import { noticingStore } from './api/live/noticing-store.ts'
import type { ServerEnv } from './auth/caller.ts'
import { createKeys } from './auth/create-keys.ts'
import { createIdentify } from './auth/identify.ts'
import { headerPerson } from './auth/named-person.ts'
import { refuse } from './auth/refuse.ts'
import { requireScope } from './auth/require-scope.ts'
import { chooseTenant, listTenants, tenantHeader } from './auth/tenants.ts'
import { type CacheOptions, createCache } from './cache/create-cache.ts'
import type { AnswerOptions } from './exchange/answer.ts'
import { logOfPerson } from './exchange/asked.ts'
import { createLogs } from './exchange/create-logs.ts'
import { restingStore } from './exchange/resting-store.ts'
import { createRunner, type Served } from './exchange/runner.ts'
import { sweep } from './exchange/sweep.ts'
import { facePaths } from './faces/index.ts'
import { type AllowedNames, checkNames } from './guard/check-host.ts'
import { createGate } from './guard/create-gate.ts'
import { createBodyParser } from './guard/known-bodies.ts'
import { checkReadiness } from './health/check-readiness.ts'
import { type Counted, createMetrics } from './health/create-metrics.ts'
import { inspectorRoutes } from './inspector/inspector-routes.ts'
import { answerChat } from './routes/chat-route.ts'
import { answerMcp } from './routes/mcp-route.ts'
import { passOn, pathOf } from './routes/pass-on.ts'
import { responsesRoutes } from './routes/responses/responses-routes.ts'
import { toFault } from './to-fault.ts'
import { uiChatRoutes } from './ui-chat/ui-chat-routes.ts'
import { withCredential } from './upstream/credential.ts'
import type { Upstream } from './upstream/upstream.ts'
import { oneUpstream, type Upstreams } from './upstream/upstreams.ts'

export interface ServerOptions extends AnswerOptions {
  readonly store: Store
  /** One for all models, or several that share them. */
  readonly upstream: Upstream | Upstreams
  /** Whether conversations are kept and fitted. Without it requests are only passed on. Default true. */
  readonly memory?: boolean
  /** The window that clients are told. Default 1,000,000: they then send everything, and the log is whole. */
  readonly promise?: number
  /** Whether clients may change the models of the upstream. Default false. */
  readonly manage?: boolean
  /** Which names clients may use for this server. Default: those of this machine. */
  readonly allowed?: AllowedNames
  /** Keys that may do everything in the tenant `default`. Those in the store count besides. */
  readonly apiKeys?: readonly string[]
  /** Whether every request needs a key. Default: if `apiKeys` are given. */
  readonly requireKeys?: boolean
  /** The largest body in bytes. Default 32 MiB. */
  readonly maxBodyBytes?: number
  /** How deep the JSON of a request may be nested. Default 100. */
  readonly maxDepth?: number
  /** The most messages of one request. Default 100,000. */
  readonly maxMessages?: number
  /** The most replies that are written at the same time; more are told to come back. Default 256. */
  readonly maxStreams?: number
  /** How long a client may leave a stream unread before it is cut off. Default 2 minutes. */
  readonly unreadMs?: number
  /** After how much silence a stream sends a sign of life. Default 15 s. */
  readonly keepAliveMs?: number
  /** How long a reply to `useChat` goes on whose client has left. Default 30 s. */
  readonly lingerMs?: number
  /** How long a turn is held for a server that is gone; then another goes on. Default 30 s. */
  readonly leaseMs?: number
  /** Lets recall also find what means the same in other words. Default: words alone. */
  readonly embed?: HistoryOptions['embed']
  /** What a message may bring back: see `createHistory`. Default `'conversation'`. */
  readonly remember?: HistoryOptions['remember']
  /** Who speaks where a request names nobody: see the setting. Default: nobody. */
  readonly person?: string
  /** The model that answers what clients ask beside conversations. Default: the one that they name. */
  readonly sideModel?: string
  /** Whether the beginning of a next prompt is read while nobody waits: see the setting. Default `off`. */
  readonly readAhead?: CacheOptions['readAhead']
  /** How long nobody must have been answered before a prompt is read ahead. Default 200 ms. */
  readonly quietMs?: number
  /** How long nothing is read ahead for the sake of a client that runs its tools. Default 5 minutes. */
  readonly openTurnMs?: number
  /** Whether conversations keep their slots of llama.cpp: see the setting. Default `off`. */
  readonly slots?: CacheOptions['slots']
  /** How long what clients ask beside conversations is kept: titles, tags. Default one day. */
  readonly sideMs?: number
  /** After how much time without use a conversation is deleted whole. Default: never. */
  readonly keepMs?: number
  /** After how much time the record of a call is deleted. Default: never. */
  readonly keepCallsMs?: number
  /** How often the store is asked what other servers on it wrote, for live events. Default one second. */
  readonly pollMs?: number
  /** How many may listen to live events at once. Default 256. */
  readonly maxListeners?: number
  /** The tools that roles of experiments may use. */
  readonly experimentTools?: ExperimentTools<Record<string, unknown>>
  /** The folder of the built inspector, which is then at `/inspector`. Default: no inspector. */
  readonly inspector?: string | undefined
  /** States that the API shows: `name=tool`, or `name=tool#/path` for a part of the result. */
  readonly states?: readonly string[]
  /** What the server tells of itself to those who may inspect it: which upstream answers and why, and the log's name. */
  readonly about?: { readonly upstream?: string; readonly store?: string }
  readonly now?: () => number
  readonly newId?: () => string
  /** Called with a conversation that was deleted because nobody used it for `keepMs`. */
  readonly onDeleted?: (tenant: string, conversation: string) => void
  /** Called with what became of a request. */
  readonly onServed?: (served: Served) => void
}

export interface Server {
  fetch(request: Request): Promise<Response>
  /** What can be asked for. `/health`, `/inspector` and what is below them needs no key. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /** Ends streams of live events, and pauses the experiments that run here. */
  close(): Promise<void>
}

/** The server without its port: a function from requests to responses. The store and the upstream stay open. */
export function createServer(given: ServerOptions): Server {
  const { memory = true, promise = 1_000_000, manage = false, lingerMs } = given
  const { maxBodyBytes = 32 * 1024 ** 2, now = Date.now, newId = randomUUID } = given
  const { maxDepth = 100, maxMessages = 100_000, maxStreams = 256, unreadMs = 120_000 } = given
  const { sideMs = 86_400_000, keepAliveMs = 15_000 } = given
  const { allowed = { host: '127.0.0.1', hosts: [], origins: [] } } = given
  const upstreams = 'all' in given.upstream ? given.upstream : oneUpstream(given.upstream)
  // One request to the upstream for one of a client: clients try again themselves, and tries would multiply.
  const {
    window,
    reserve,
    maxToolTokens,
    notes,
    policy,
    systemPrompt,
    retries = 0,
    stallMs,
    maxReply,
  } = given
  // Only results of tools are cut unasked: refused, they would leave an agent nothing to go on with.
  const { overflow = 'trim-results' } = given
  const options = {
    ...{ retries, overflow },
    ...present({ window, reserve, maxToolTokens, notes, policy, systemPrompt, stallMs, maxReply }),
  }
  const store = noticingStore(restingStore(rememberingStore(given.store)), (...write) => {
    if (write[2] === 'deleted') bodies.forget()
    api.onWrite(...write)
  })
  const { leaseMs, embed, remember = 'conversation' } = given
  const logOf = createLogs({ store, now, newId, remember, ...present({ leaseMs, embed }) })
  const keys = createKeys(store, { now })
  const identify = createIdentify({
    keys,
    now,
    ...present({ apiKeys: given.apiKeys, isRequired: given.requireKeys }),
  })
  const metrics = createMetrics()
  const { sideModel, readAhead = 'off', slots = 'off' } = given
  const { quietMs, openTurnMs } = given
  const cache = createCache({ readAhead, slots, quietMs, openTurnMs, now, onRead: metrics.readAhead })
  const gate = createGate(maxStreams, inside => cache.busy(inside === 0))
  // A list of messages has about 20 JSON values per message.
  const limits = {
    maxBodyBytes,
    maxMessages,
    unreadMs,
    keepAliveMs,
    json: { maxDepth, maxValues: maxMessages * 20 },
  }
  const cancels = createCancels(store)
  const runner = createRunner({
    ...{ gate, cancels },
    onServed(served) {
      const by = served.model === undefined ? undefined : upstreams.find(served.model)
      const told = by ? { ...served, upstream: { name: by.name, kind: by.upstream.kind } } : served
      metrics.count(toCounted(told))
      given.onServed?.(told)
    },
  })
  const bodies = createBodyParser(limits.json)
  const { person, pollMs, maxListeners, experimentTools } = given
  const route = { upstreams, options, runner, cache, sideModel, person, now, newId, ...bodies, ...limits }
  const passing = { upstreams, promise, manage, maxBodyBytes, json: limits.json, began: now(), gate }
  const modelBeside = (name: string) => cache.beside(upstreams.of(name).upstream, upstreams.model(name))
  const api = createApi({
    upstreams: { ...upstreams, model: modelBeside },
    ...{ options, runner, cache, ...limits, newId, logOf, keys, cancels },
    about: {
      ...{ ...given.about, remember, person },
      needsKey: given.requireKeys ?? (given.apiKeys ?? []).length > 0,
    },
    ...present({ pollMs, maxListeners, experimentTools, states: given.states, embed: given.embed }),
  })
  const sweeping = sweep({
    ...{ now, sideMs, historyOf: (tenant: string) => logOf(tenant).history },
    ...present({ keepMs: given.keepMs, keepCallsMs: given.keepCallsMs, onDeleted: given.onDeleted }),
    tenants: () => listTenants(store),
  })
  const app = new Hono<ServerEnv>()

  app.onError((error, context) => refuse(context, toFault(error)))
  app.use(async (context, next) => {
    context.set('requestId', requestIdOf(context.req.raw, newId))
    checkNames(context.req.raw.headers, allowed)
    // A page whose origin is allowed may read the answers.
    return context.req.header('origin') === undefined ? next() : forPages(context, next)
  })
  app.get('/health', context =>
    context.json({ status: 'ok', upstream: upstreams.all.map(({ upstream }) => upstream.kind).join(', ') }),
  )
  app.get('/health/readiness', async context => {
    const { isReady, ...parts } = await checkReadiness(store, upstreams.all)
    return context.json({ status: isReady ? 'ok' : 'away', ...parts }, isReady ? 200 : 503)
  })
  if (given.inspector !== undefined) app.route('/', inspectorRoutes(given.inspector))
  // Everything from here on needs a caller.
  app.use(async (context, next) => {
    const headers = context.req.header()
    const { caller: sender, credential } = await identify(context.req.raw.headers)
    const caller = await chooseTenant(sender, headers[tenantHeader], keys)
    context.set('caller', caller)
    context.set('log', logOfPerson(logOf(caller.tenant), caller.person ?? headerPerson(headers)))
    return withCredential(credential, next)
  })
  app.all('/mcp', requireScope('read'), ({ req: { raw: request }, var: { log, caller } }) =>
    answerMcp({ request, log, caller, ...limits }),
  )
  app.get('/metrics', requireScope('metrics'), () => {
    const { listeners, experiments } = api.counts()
    const text = metrics.text({
      throughline_open_replies: gate.inside,
      throughline_reading_ahead: Number(cache.isReading),
      throughline_listeners: listeners,
      throughline_running_experiments: experiments,
    })
    return new Response(text, { headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' } })
  })
  const mayChat = requireScope('chat')
  for (const [path, face] of memory ? facePaths : []) {
    for (const prefix of ['', '/c/:conversation']) {
      app.post(`${prefix}${path}`, mayChat, context => {
        const { raw: request } = context.req
        const conversation = context.req.param('conversation')
        const { requestId, log, caller } = context.var
        return answerChat(route, { face, request, requestId, conversation, log, caller })
      })
    }
  }
  if (memory) app.route('/throughline/v1/ui-chat', uiChatRoutes({ ...route, cancels, lingerMs }))
  api.mount(app)
  if (memory) for (const prefix of ['/', '/c/:conversation']) app.route(prefix, responsesRoutes(route))
  app.all('/c/:conversation/*', mayChat, context =>
    passOn(context.req.raw, pathOf(context.req.raw).replace(/^\/c\/[^/]*/, ''), passing),
  )
  app.all('*', mayChat, ({ req: { raw } }) => passOn(raw, pathOf(raw), passing))

  return {
    fetch: async request => app.fetch(request),
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    async close() {
      cache.busy(false)
      cancels.close()
      await sweeping.close()
      await api.close()
    },
  }
}

const forPages = cors({
  origin: origin => origin,
  exposeHeaders: [
    ...['x-request-id', 'x-throughline-conversation', 'x-throughline-branch'],
    ...['x-throughline-trimmed', 'retry-after'],
  ],
  maxAge: 600,
})

const toCounted = ({ face, model, upstream, ms, answered, fault, reusable }: Served): Counted => ({
  ...{ face, model, ms, reusable, upstream: upstream?.name },
  outcome: fault?.code ?? answered?.result.error?.code ?? answered?.result.status ?? 'repeated',
  usage: answered?.result.usage,
})

function requestIdOf({ headers }: Request, newId: () => string): string {
  const given = headers.get('x-request-id')
  return given && /^[\w.:-]{1,128}$/.test(given) ? given : newId()
}
