import { randomUUID } from 'node:crypto'
import { createCancels } from '@throughline/chat/turn'
import { present } from '@throughline/core/values'
import type { HistoryOptions } from '@throughline/history'
import { rememberingStore } from '@throughline/history/threads'
import { adapterPaths } from '@throughline/models/dialects'
import type { Store } from '@throughline/stores/store'
import { Hono } from 'hono'
import { cors } from 'hono/cors'
import { createApi } from './api/create-api.ts'
import { checkedHands } from './api/hands.ts'
import { noticingStore } from './api/live/noticing-store.ts'
import type { AboutServer, ApiOptions, ServerPlug } from './api/route.ts'
import type { ServerEnv } from './auth/caller.ts'
import { createKeys } from './auth/create-keys.ts'
import { createIdentify } from './auth/identify.ts'
import { headerPerson } from './auth/named-person.ts'
import { refuse, refuseInner, refuseSocket, requireScope } from './auth/refusals.ts'
import { chooseTenant, listTenants, tenantHeader } from './auth/tenants.ts'
import { type CacheOptions, createCache } from './cache/create-cache.ts'
import { type AnswerOptions, answerOptionNames } from './exchange/answer.ts'
import { createLogs } from './exchange/create-logs.ts'
import { logOfPerson } from './exchange/inquiry.ts'
import { patientStore } from './exchange/patient-store.ts'
import { restingStore } from './exchange/resting-store.ts'
import { createRunner, type Served } from './exchange/runner.ts'
import { type SweepOptions, sweep } from './exchange/sweep.ts'
import type { OnStoreFault } from './exchange/unstored.ts'
import { type AllowedNames, checkNames } from './guard/check-host.ts'
import { createBodyParser } from './guard/create-body-parser.ts'
import { createGate } from './guard/create-gate.ts'
import { createReadiness } from './health/check-readiness.ts'
import { createMetrics } from './health/create-metrics.ts'
import { inspectorRoutes } from './inspector/inspector-routes.ts'
import { answerChat } from './routes/chat-route.ts'
import { answerMcp } from './routes/mcp-route.ts'
import { passOn, pathOf } from './routes/pass-on.ts'
import { responsesRoutes } from './routes/responses/responses-routes.ts'
import type { ServerLimits, ServerParts } from './routes/server-parts.ts'
import { tellResidue } from './routes/tell-residue.ts'
import { uiChatRoutes } from './routes/ui-chat.ts'
import { toFault } from './to-fault.ts'
import { withCredential } from './upstream/credential.ts'
import type { Upstream } from './upstream/upstream.ts'
import { oneUpstream, type Upstreams } from './upstream/upstreams.ts'

export interface ServerOptions
  extends AnswerOptions,
    Partial<Omit<ServerLimits, 'json'>>,
    Partial<
      Pick<
        ServerParts,
        'advertisedWindow' | 'manage' | 'person' | 'sideModel' | 'lingerMs' | 'now' | 'newId'
      >
    >,
    Pick<HistoryOptions, 'leaseMs' | 'embed' | 'remember'>,
    Partial<Pick<CacheOptions, 'readAhead' | 'slots' | 'quietMs' | 'openTurnMs'>>,
    Partial<Pick<SweepOptions, 'sideMs' | 'keepMs' | 'keepCallsMs' | 'onDeleted'>>,
    Pick<ApiOptions, 'pollMs' | 'maxListeners' | 'states'> {
  readonly store: Store
  /** One for all models, or several that share them. */
  readonly upstream: Upstream | Upstreams
  /** Whether conversations are kept and fitted. Without it requests are only passed on. Default true. */
  readonly memory?: boolean
  /**
   * What becomes of a request while the store fails: one that holds its whole list is answered all the same and not stored
   * (`pass`), or refused like one that needs the log. Default `pass`.
   */
  readonly onStoreFault?: OnStoreFault
  /**
   * How long the store may take for a step of placing a request, in milliseconds; ten times as long where the request cannot be
   * answered without it and the store goes on writing for others. Default 200.
   */
  readonly storeWaitMs?: number
  /** Which names clients may use for this server. Default: those of this machine. */
  readonly allowed?: AllowedNames
  /** Keys that may do everything in the tenant `default`. Keys in the store are valid too. */
  readonly apiKeys?: readonly string[]
  /** Whether every request needs a key. Default: if `apiKeys` are given. */
  readonly requireKeys?: boolean
  /** How deep the JSON of a request may be nested. Default 100. */
  readonly maxDepth?: number
  /** The most replies that are written at the same time; more are told to come back. Default 256. */
  readonly maxStreams?: number
  /** The folder of the built inspector, which is then at `/inspector`. Default: no inspector. */
  readonly inspector?: string
  /** What other packages add to this server. */
  readonly plugs?: readonly ServerPlug[]
  /** What a million tokens of a prompt cost: `0.15 USD`. Default: not known. */
  readonly price?: string | undefined
  /** What the server tells of itself to those who may inspect it: which upstream answers and why, and the log's name. */
  readonly about?: Pick<AboutServer, 'upstream' | 'store' | 'window'>
  /** Called with what became of a request. */
  readonly onServed?: (served: Served) => void
}

const defaults = {
  memory: true,
  onStoreFault: 'pass',
  storeWaitMs: 200,
  advertisedWindow: 1_000_000,
  manage: false,
  allowed: { host: '127.0.0.1', hosts: [], origins: [] },
  apiKeys: [],
  plugs: [],
  maxBodyBytes: 32 * 1024 ** 2,
  maxDepth: 100,
  maxMessages: 100_000,
  maxStreams: 256,
  unreadMs: 120_000,
  keepAliveMs: 15_000,
  sideMs: 86_400_000,
  remember: 'conversation',
  readAhead: 'off',
  slots: 'off',
  // One request to the upstream for one of a client: clients try again themselves, and tries would multiply.
  retries: 0,
  // Only results of tools are cut unasked: refused, they would leave an agent nothing to go on with.
  overflow: 'trim-results',
  now: Date.now,
  newId: randomUUID as () => string,
} as const satisfies Partial<ServerOptions>

/** What would change a request, or ask the upstream for anything that its client did not. */
const passing = {
  notes: false,
  readMessages: false,
  sideModel: undefined,
  readAhead: 'off',
  slots: 'off',
} as const satisfies Partial<ServerOptions>

export type Server = ReturnType<typeof createServer>

/** The server without its port: a function from requests to responses. The store and the upstream stay open. */
export function createServer(rawOptions: ServerOptions) {
  const wanted = { ...defaults, ...present(rawOptions) }
  const settled = wanted.shadow ? { ...wanted, ...passing } : wanted
  const {
    memory,
    allowed,
    apiKeys,
    maxDepth,
    maxMessages,
    maxStreams,
    now,
    newId,
    inspector,
    plugs,
  } = settled
  const { leaseMs, embed, remember, person, requireKeys: needsKey = apiKeys.length > 0 } = settled
  const upstreams =
    'all' in rawOptions.upstream ? rawOptions.upstream : oneUpstream(rawOptions.upstream)
  const options = present(Object.fromEntries(answerOptionNames.map(name => [name, settled[name]])))
  const store = noticingStore(
    restingStore(rememberingStore(patientStore(rawOptions.store))),
    event => {
      if (event.what !== 'written') bodies.forget()
      api.onWrite(event)
    },
  )
  const logOf = createLogs({ store, now, newId, remember, leaseMs, embed })
  const keys = createKeys(store, { now })
  const identify = createIdentify({ keys, now, apiKeys, isRequired: needsKey })
  const metrics = createMetrics()
  const readiness = createReadiness(rawOptions.store, upstreams.all)
  const cache = createCache({ ...settled, onRead: metrics.readAhead })
  const gate = createGate(maxStreams, inside => cache.busy(inside === 0))
  const cancels = createCancels(store)
  const runner = createRunner(gate, cancels, served => {
    const by = served.model === undefined ? undefined : upstreams.find(served.model)
    const outcome = by ? { ...served, upstream: { name: by.name, kind: by.upstream.kind } } : served
    // Told first: a fault in counting must not hide it.
    rawOptions.onServed?.(outcome)
    metrics.count(outcome)
  })
  // A list of messages has about 20 JSON values per message.
  const json = { maxDepth, maxValues: maxMessages * 20 }
  const bodies = createBodyParser(json)
  const parts = {
    ...settled,
    ...bodies,
    json,
    upstreams,
    options,
    began: now(),
    runner,
    gate,
    cache,
    keys,
    cancels,
    logOf,
  } satisfies ServerParts
  const modelBeside = (name: string) =>
    cache.beside(upstreams.of(name).upstream, upstreams.model(name))
  const api = createApi({
    ...{ ...parts, plugs },
    upstreams: { ...upstreams, model: modelBeside },
    about: { ...rawOptions.about, remember, person, needsKey, price: rawOptions.price },
  })
  const sweeping = sweep({
    ...settled,
    historyOf: tenant => logOf(tenant).history,
    tenants: () => listTenants(store),
  })
  const statuses: ServerPlug['statuses'] = Object.assign({}, ...plugs.map(plug => plug.statuses))
  const app = new Hono<ServerEnv>()

  app.onError((error, context) => refuse(context, toFault(error, statuses)))
  app.use(async (context, next) => {
    context.set('requestId', requestIdOf(context.req.raw, newId))
    checkNames(context.req.raw.headers, allowed)
    refuseSocket(context.req.raw.headers)
    // A page whose origin is allowed may read the answers.
    return context.req.header('origin') === undefined ? next() : forPages(context, next)
  })
  app.get('/health', context =>
    context.json({
      status: 'ok',
      upstream: upstreams.all.map(({ upstream }) => upstream.kind).join(', '),
    }),
  )
  app.get('/health/readiness', async context => {
    const { isReady, ...parts } = await readiness()
    return context.json({ status: isReady ? 'ok' : 'away', ...parts }, isReady ? 200 : 503)
  })
  if (inspector !== undefined) app.route('/', inspectorRoutes(inspector))
  // Everything from here on needs a caller.
  app.use(async (context, next) => {
    const headers = context.req.header()
    const { caller: sender, credential } = await identify(context.req.raw.headers)
    const caller = await chooseTenant(sender, headers[tenantHeader], keys)
    context.set('caller', caller)
    context.set('log', logOfPerson(logOf(caller.tenant), caller.person ?? headerPerson(headers)))
    return withCredential(credential, next)
  })
  app.use(tellResidue(store))
  app.all('/mcp', requireScope('read'), context =>
    answerMcp(context.req.raw, context.var, parts, thread => {
      refuseInner(thread.key)
      return checkedHands(thread, parts)
    }),
  )
  app.get('/metrics', requireScope('metrics'), () => {
    const text = metrics.text({
      throughline_open_replies: gate.inside,
      throughline_reading_ahead: Number(cache.isReading),
      throughline_listeners: api.listeners(),
      ...Object.assign({}, ...plugs.map(plug => plug.gauges())),
    })
    return new Response(text, {
      headers: { 'content-type': 'text/plain; version=0.0.4; charset=utf-8' },
    })
  })
  const mayChat = requireScope('chat')
  for (const [path, adapter] of memory ? adapterPaths : []) {
    for (const prefix of ['', '/c/:conversation']) {
      app.post(`${prefix}${path}`, mayChat, ({ req, var: variables }) =>
        answerChat(parts, adapter, req.raw, variables, req.param('conversation')),
      )
    }
  }
  if (memory) app.route('/throughline/v1/ui-chat', uiChatRoutes(parts))
  api.mount(app)
  if (memory)
    for (const prefix of ['/', '/c/:conversation']) app.route(prefix, responsesRoutes(parts))
  app.all('/c/:conversation/*', mayChat, context =>
    passOn(context.req.raw, pathOf(context.req.raw).replace(/^\/c\/[^/]*/, ''), parts),
  )
  app.all('*', mayChat, ({ req: { raw } }) => passOn(raw, pathOf(raw), parts))

  return {
    fetch: async (request: Request): Promise<Response> => app.fetch(request),
    /** What can be asked for. `/health`, `/inspector` and what is below them needs no key. */
    routes: app.routes.map(({ method, path }) => ({ method, path })),
    /** Ends streams of live events, and what plugs have begun here. */
    async close(): Promise<void> {
      cache.busy(false)
      cancels.close()
      await sweeping.close()
      api.close()
      for (const plug of plugs) await plug.close()
    },
  }
}

const forPages = cors({
  origin: origin => origin,
  exposeHeaders: [
    'x-request-id',
    'x-throughline-conversation',
    'x-throughline-branch',
    ...[
      'tokens',
      'window',
      'window-from',
      'kept',
      'recalled',
      'left-out',
      'left-out-kinds',
      'read',
      'trimmed',
      'stored',
    ].map(name => `x-throughline-${name}`),
    'retry-after',
  ],
  maxAge: 600,
})

function requestIdOf({ headers }: Request, newId: () => string): string {
  const clientId = headers.get('x-request-id')
  return clientId && /^[\w.:-]{1,128}$/.test(clientId) ? clientId : newId()
}
