import { BadRequestError, ThroughlineError } from '@throughline/core/errors'
import { parseBody } from '@throughline/core/fields'
import { putNewest } from '@throughline/core/values'
import { createHistory } from '@throughline/history'
import { isReserved, shownStore } from '@throughline/history/log'
import type { Context, Hono } from 'hono'
import type { z } from 'zod'
import type { Caller, ServerEnv } from '../auth/caller.ts'
import {
  notFound,
  refuseExperiment,
  refuseInner,
  refuseOthers,
  requireScope,
} from '../auth/refusals.ts'
import { type Log, logOfPerson } from '../exchange/inquiry.ts'
import { bodyOf } from '../routes/read-body.ts'
import type { ServerLimits } from '../routes/server-parts.ts'
import { type AnswerLimits, eventStream, lineStream, type ServerEvents } from './event-stream.ts'
import { createFeeds } from './live/feeds.ts'
import type { WriteEvent } from './live/noticing-store.ts'
import { openApi } from './open-api.ts'
import type { ApiCall, ApiOptions, ApiParts, FieldsSchema, Route } from './route.ts'
import { apiBase, apiRoutes } from './routes.ts'
import { parseState } from './states.ts'
import { createTimelines } from './timeline/create-timeline.ts'

export function createApi(options: ApiOptions) {
  const { logOf, embed, pollMs, maxListeners } = options
  const looking = new Map<string, Log>()

  /** A history for looking, apart from the memory of running chats. Without `inspect` it shows what users see. */
  function lookingAt(tenant: string, mayInspect: boolean): Log {
    const name = JSON.stringify([tenant, mayInspect])
    const { store: whole } = logOf(tenant)
    const store = mayInspect ? whole : shownStore(whole)
    const view = looking.get(name) ?? {
      store,
      tenant,
      history: createHistory({ store, tenant, embed }),
    }
    return putNewest(looking, name, view, mostTenants)
  }

  const feeds = createFeeds((...caller) => lookingAt(...caller).history, pollMs, maxListeners)
  const states = (options.states ?? []).map(parseState)
  const parts: ApiParts = { ...options, states, feeds, timelines: createTimelines() }
  const routes: readonly Route[] = [...apiRoutes, ...options.plugs.flatMap(plug => plug.routes)]

  async function answer(route: Route, context: Context<ServerEnv>): Promise<Response> {
    const { raw: request } = context.req
    const { caller, log, requestId } = context.var
    const left = new AbortController()
    const read = await readRequest(route, context, options)
    await refuseHidden(route, read, caller, log)
    const has: ApiCall['has'] = scope => caller.scopes.includes(scope)
    const looked = logOfPerson(lookingAt(caller.tenant, has('inspect')), log.history.person)
    const call: ApiCall = {
      request,
      requestId,
      caller,
      parts,
      ...read,
      has,
      // A route that only reads has nothing else to read from.
      log: route.scope === 'read' ? looked : log,
      signal: AbortSignal.any([request.signal, left.signal]),
      looking: looked.history,
    }
    const onEnd = () => left.abort()
    const response = toResponse(route, await route.handle(call), { ...options, onEnd })
    response.headers.set('x-request-id', requestId)
    return response
  }

  return {
    onWrite(event: WriteEvent): void {
      const { tenant, conversation, what } = event
      if (what !== 'written') {
        // Nothing of it stays in memory, whichever way it was deleted.
        parts.timelines.drop(tenant, conversation)
        for (const mayInspect of [true, false]) looking.delete(JSON.stringify([tenant, mayInspect]))
      }
      feeds.notice(event)
    },
    /** How many streams of events are open. */
    listeners: () => feeds.listeners,
    mount(app: Hono<ServerEnv>): void {
      let document: object | undefined
      app.get(`${apiBase}/openapi.json`, context => {
        document ??= openApi(routes, apiBase)
        return context.json(document)
      })
      for (const route of routes)
        app.on(
          route.method.toUpperCase(),
          `${apiBase}${route.path}`,
          requireScope(route.scope),
          context => answer(route, context),
        )
      app.all(`${apiBase}/*`, () => {
        throw new ThroughlineError('no_route', 'There is nothing at this address of the API.')
      })
    },
    /** Ends the streams of events. */
    close: () => feeds.close(),
  }
}

const mostTenants = 128

/** Refuses writing to inner threads, experiments without `inspect`, and reading others' conversations. `admin` may do all. */
async function refuseHidden(
  { scope }: Route,
  { params, query }: { readonly params?: unknown; readonly query?: unknown },
  caller: Caller,
  log: Log,
): Promise<void> {
  const { conversation } = (params ?? {}) as { readonly conversation?: string }
  const { actor = '' } = (query ?? {}) as { readonly actor?: string }
  if (conversation === undefined || scope === 'admin') return
  if (scope === 'chat') refuseInner({ conversation, actor })
  if (isReserved(actor) && !caller.scopes.includes('inspect')) throw notFound('thread', actor)
  await refuseExperiment(log, conversation, caller)
  if (scope !== 'chat') await refuseOthers(log, conversation)
}

async function readRequest(
  { params, query, body }: Route,
  { req }: Context<ServerEnv>,
  { maxBodyBytes, json }: ServerLimits,
) {
  const path = new Map(Object.entries(req.param() as Record<string, string>))
  const { searchParams } = new URL(req.raw.url)
  const search = new Map(searchParams)
  const twice = [...search.keys()].find(name => searchParams.getAll(name).length > 1)
  // The last one would count: `?person=a&person=b` would delete only what is b's.
  if (twice !== undefined) throw new BadRequestError(`"${twice}" must be given once`, twice)
  const read = {
    params: readFields(params, path),
    query: readFields(query, search),
  }
  if (!body || body === 'file') return { ...read, body: undefined }
  const bytes = await bodyOf(req.raw, maxBodyBytes)
  // A body that is left out counts as an empty object.
  return { ...read, body: readValue(body, bytes.length === 0 ? {} : parseBody(bytes, json)) }
}

function toResponse({ kind, status }: Route, answer: unknown, limits: AnswerLimits): Response {
  switch (kind) {
    case 'json':
      return Response.json(answer, { status: status ?? 200 })
    case 'text':
      return new Response(answer as string, {
        headers: { 'content-type': 'text/plain; charset=utf-8' },
      })
    case 'lines':
      return lineStream(answer as AsyncIterable<unknown>, limits)
    case 'events':
      return eventStream(answer as AsyncIterable<ServerEvents>, limits)
    case 'none':
      return new Response(null, { status: 204 })
  }
}

/** Reads the fields of an address by their schema: numbers, switches and lists come as texts. */
export function readFields(schema: FieldsSchema, texts: ReadonlyMap<string, string>): unknown {
  const values: Record<string, unknown> = {}
  for (const [name, text] of texts) {
    const field: unknown = Object.hasOwn(schema.shape, name) ? schema.shape[name] : undefined
    values[name] = field === undefined ? text : fromText(field as z.ZodType, text)
  }
  return readValue(schema, values)
}

/** Checks a value by its schema. The error names the first place that is wrong. */
function readValue(schema: z.ZodType, value: unknown): unknown {
  const { success, data, error } = schema.safeParse(value)
  if (success) return data
  const { path, message } = error.issues[0]!
  const place = placeOf(path)
  throw new BadRequestError(place === '' ? message : `${place}: ${message}`, place || undefined)
}

function fromText(schema: z.ZodType, text: string): unknown {
  switch (kindOf(schema)) {
    case 'number':
      return /^-?\d{1,15}(?:\.\d{1,9})?$/.test(text) ? Number(text) : text
    case 'boolean':
      return text === 'true' || text === 'false' ? text === 'true' : text
    case 'array': {
      const items = (unwrapped(schema) as z.ZodArray<z.ZodType>).element
      return text === '' ? [] : text.split(',').map(part => fromText(items, part))
    }
    default:
      return text
  }
}

const kindOf = (schema: z.ZodType): string => unwrapped(schema).def.type

function unwrapped(schema: z.ZodType): z.ZodType {
  const { innerType } = schema.def as { readonly innerType?: z.ZodType }
  return innerType === undefined ? schema : unwrapped(innerType)
}

/** `roles[1].tools[0]` */
function placeOf(path: readonly PropertyKey[]): string {
  const parts = path.map(part =>
    typeof part === 'number' ? `[${part}]` : `.${String(part).slice(0, 100)}`,
  )
  return parts.join('').replace(/^\./, '')
}
