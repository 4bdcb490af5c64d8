import type { State } from '@throughline/core/state'
import type { History, HistoryOptions, Thread } from '@throughline/history'
import { countAsUse } from '@throughline/history/threads'
import type { ConversationInfo } from '@throughline/stores/store'
import { z } from 'zod'
import type { Caller, KeyScope } from '../auth/caller.ts'
import { notFound } from '../auth/refusals.ts'
import type { Log } from '../exchange/inquiry.ts'
import type { ServerParts } from '../routes/server-parts.ts'
import type { ServerEvents } from './event-stream.ts'
import type { Feeds } from './live/feeds.ts'
import { type AnswerOf, name, place, type threadFields } from './schemas.ts'
import type { Timelines } from './timeline/create-timeline.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

export type FieldsSchema = z.ZodObject

/** What a route answers: a JSON value, a plain text, lines of JSON, server-sent events, or nothing. */
export type AnswerFormat = 'json' | 'text' | 'lines' | 'events' | 'none'

export interface AboutServer extends Pick<ServerParts, 'person'> {
  readonly upstream?: string
  /** The name of the log, for people. */
  readonly store?: string
  readonly needsKey: boolean
  /** The window that was set for all models. */
  readonly window?: number | undefined
  /** What a million tokens of a prompt cost: `0.15 USD`. */
  readonly price?: string | undefined
  /** What a message may bring back. */
  readonly remember: NonNullable<HistoryOptions['remember']>
}

export interface ApiOptions extends ServerParts {
  readonly about: AboutServer
  /** The embedder of the logs, so that contexts are shown as they are sent. */
  readonly embed?: HistoryOptions['embed']
  /** How often the store is asked what other servers on it wrote, for live events. Default one second. */
  readonly pollMs?: number
  /** How many may listen to live events at once. Default 256. */
  readonly maxListeners?: number
  readonly plugs: readonly ServerPlug[]
  /** States that the API shows: `name=tool`, or `name=tool#/path` for a part of the result. */
  readonly states?: readonly string[]
}

export interface ApiParts extends Omit<ApiOptions, 'states'> {
  readonly states: readonly State<unknown>[]
  readonly feeds: Feeds
  readonly timelines: Timelines
}

/** A request that was read and checked. */
export interface ApiCall<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly requestId: string
  readonly signal: AbortSignal
  readonly caller: Caller
  /** Whether the caller has a scope beyond that of the route. */
  readonly has: (scope: KeyScope) => boolean
  /** The caller's log. What is looked at goes through `looking`, which leaves the memory of running chats alone. */
  readonly log: Log
  readonly looking: History
  readonly parts: ApiParts
}

/** A route of the API as data: the application, the document and the page of the API are made from the same list. */
export interface Route {
  readonly method: Method
  /** Below the base of the API, with names of parameters: `/conversations/:conversation`. */
  readonly path: string
  readonly scope: KeyScope
  readonly summary: string
  readonly params: FieldsSchema
  readonly query: FieldsSchema
  /** A schema of JSON, or `file` for bytes that the handler reads itself. */
  readonly body?: FieldsSchema | 'file'
  readonly kind: AnswerFormat
  /** The schema of the answer; of each line or event where there are many. */
  readonly answer?: z.ZodType
  /** Default 200; 204 for an answer of nothing. */
  readonly status?: number
  handle(call: ApiCall): unknown
}

/** What another package adds to one server. */
export interface ServerPlug {
  /** Told by `GET /server`: the page has a menu for it. */
  readonly name: string
  readonly routes: readonly Route[]
  /** The statuses of the codes of its errors. */
  readonly statuses: Readonly<Record<string, number>>
  /** Current values for `/metrics`, by name. */
  gauges(): Readonly<Record<string, number>>
  /** Called when the server is closed. */
  close(): Promise<void>
}

/** The schemas of the fields of an object. Fields that are not among them are refused. */
type SchemaFields = Readonly<Record<string, z.ZodType>>

type OutputOf<Fields> = Fields extends SchemaFields ? z.output<z.ZodObject<Fields>> : undefined

type InputOf<Fields> = Fields extends SchemaFields ? z.input<z.ZodObject<Fields>> : undefined

type PathParamNames<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParamNames<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** What the parameters of a path are: names, but for those that say a place. */
const places = { entry: place.min(1) }

type PathParams<Path> = {
  readonly [Name in PathParamNames<Path>]: Name extends keyof typeof places ? number : string
}

interface Answers<Answer> {
  json: Answer
  text: string
  lines: AsyncIterable<Answer | string>
  events: AsyncIterable<ServerEvents<Answer>>
  none: undefined
}

/** A route that tells in its type what is asked and what is answered, so that a client can be typed by the routes. */
export interface TypedRoute<Method, Path, Kind, Query, Body, Answer> extends Route {
  /** Never there at run time. */
  readonly typed?: {
    readonly method: Method
    readonly path: Path
    readonly kind: Kind
    readonly query: InputOf<Query>
    readonly body: Body extends 'file' ? Blob : InputOf<Body>
    readonly answer: Answer extends z.ZodType ? z.output<Answer> : unknown
  }
}

/** Makes a route of its schemas, and types it by them. Its parameters are those that the path names; it answers with JSON. */
export function defineRoute<
  const Called extends Method,
  const Path extends string,
  Query extends SchemaFields | undefined = undefined,
  Body extends SchemaFields | 'file' | undefined = undefined,
  Kind extends AnswerFormat = 'json',
  Answer extends z.ZodType = z.ZodType,
>(
  method: Called,
  path: Path,
  route: Pick<Route, 'scope' | 'summary' | 'status'> & {
    readonly query?: Query
    readonly body?: Body
    readonly kind?: Kind
    readonly answer?: Answer
    handle(
      call: ApiCall<PathParams<Path>, OutputOf<Query>, OutputOf<Body>>,
    ): Answers<AnswerOf<Answer>>[Kind] | Promise<Answers<AnswerOf<Answer>>[Kind]>
  },
): TypedRoute<Called, Path, Kind, Query, Body, Answer> {
  const { query = {}, body, kind = 'json' } = route
  const schemas: SchemaFields = places
  const params = [...path.matchAll(/:(\w+)/g)].map(([, param = '']) => [
    param,
    schemas[param] ?? name,
  ])
  const made = {
    ...route,
    method,
    path,
    kind,
    params: z.strictObject(Object.fromEntries(params)),
    query: z.strictObject(query),
    body: typeof body === 'object' ? z.strictObject(body) : body,
  }
  return made as unknown as TypedRoute<Called, Path, Kind, Query, Body, Answer>
}

export async function findConversation(
  history: History,
  conversation: string,
): Promise<ConversationInfo> {
  const [info] = await history.conversations({ only: conversation, limit: 1 })
  if (!info) throw notFound('conversation', conversation)
  return info
}

export type ThreadRequest<Query = unknown> = ApiCall<
  { readonly conversation: string },
  z.output<z.ZodObject<typeof threadFields>> & Query
>

/** The thread that a request names. What is not there, or is another tenant's, is not found. */
export async function threadOf({ params, query, looking, log }: ThreadRequest): Promise<Thread> {
  const { actor, branch } = query
  const thread = looking.thread(params.conversation, { actor, branch })
  if (await log.store.head(thread.key)) {
    countAsUse(looking, params.conversation)
    return thread
  }
  const { threads } = await findConversation(looking, params.conversation)
  const hasActor = threads.some(one => one.actor === thread.key.actor)
  throw hasActor ? notFound('branch', thread.key.branch) : notFound('thread', thread.key.actor)
}
