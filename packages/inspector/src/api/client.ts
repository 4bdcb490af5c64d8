import {
  type FetchQueryOptions,
  QueryClient,
  type QueryKey,
  QueryObserver,
} from '@tanstack/react-query'
import type { ExperimentRoute } from '@throughline/experiment/api-types'
import type { GalleryRoute } from '@throughline/gallery/api-types'
import type { ApiRoute } from '@throughline/server/api-types'
import { EventSourceParserStream } from 'eventsource-parser/stream'
import { ApiError, AwayError, toApiError } from './api-error.ts'
import { type HeardEvent, noteAway } from './connection.ts'
import { observable } from './observable.ts'

/** The routes of the server, in types only: a change of the API that this page does not follow breaks its types. */
type Typed = NonNullable<(ApiRoute | ExperimentRoute | GalleryRoute)['typed']>

/** `get /conversations/:conversation/context` */
export type RouteName = Typed extends infer One
  ? One extends {
      readonly method: infer Method extends string
      readonly path: infer Path extends string
    }
    ? `${Method} ${Path}`
    : never
  : never

type RouteOf<Name extends RouteName> = Name extends `${infer Method} ${infer Path}`
  ? Extract<Typed, { readonly method: Method; readonly path: Path }>
  : never

/** The routes that answer in one way: with JSON, with lines, with events … */
export type NameOfKind<Kind extends Typed['kind']> = {
  [Name in RouteName]: RouteOf<Name>['kind'] extends Kind ? Name : never
}[RouteName]

/** What a route answers; one line or one event where there are many. */
export type AnswerOf<Name extends RouteName> = RouteOf<Name>['kind'] extends 'text'
  ? string
  : RouteOf<Name>['answer']

export type QueryOf<Name extends RouteName> = RouteOf<Name>['query']

export type BodyOf<Name extends RouteName> = RouteOf<Name>['body']

type ParamIn<Path> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamIn<`/${Rest}`>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

type Param<Name extends RouteName> = Name extends `${string} ${infer Path}` ? ParamIn<Path> : never

/** What a request is made of: `params` of the path, `query` and `body` as the route takes them. */
export type RouteRequest<Name extends RouteName> = {
  readonly signal?: AbortSignal | undefined
} & ([Param<Name>] extends [never]
  ? object
  : { readonly params: Readonly<Record<Param<Name>, string>> }) &
  (QueryOf<Name> extends undefined
    ? object
    : object extends QueryOf<Name>
      ? { readonly query?: QueryOf<Name> }
      : { readonly query: QueryOf<Name> }) &
  (BodyOf<Name> extends undefined ? object : { readonly body: BodyOf<Name> })

/** What the server says of itself to the holder of a key. */
export type ServerInfo = AnswerOf<'get /server'>

const base = '/throughline/v1'

export async function ask<Name extends NameOfKind<'json' | 'text'>>(
  name: Name,
  request: RouteRequest<Name>,
) {
  const response = await send(name, request)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return (isJson ? await response.json() : await response.text()) as AnswerOf<Name>
}

export const tell = async <Name extends NameOfKind<'none'>>(
  name: Name,
  request: RouteRequest<Name>,
) => void (await send(name, request))

/** Asks a route that answers line by line. Breaking off closes the connection. */
export async function* askLines<Name extends NameOfKind<'lines'>>(
  name: Name,
  request: RouteRequest<Name>,
) {
  const { body } = await send(name, request)
  for await (const line of readLines(body!)) yield JSON.parse(line) as AnswerOf<Name>
}

/** Asks a route that answers line by line for its bytes as they are, to keep them in a file. */
export const askBytes = async <Name extends NameOfKind<'lines'>>(
  name: Name,
  request: RouteRequest<Name>,
) => (await send(name, request)).blob()

/** Asks a route that answers with events. They are read by `fetch`, which can send a key. Breaking off closes it. */
export async function* askEvents<Name extends NameOfKind<'events'>>(
  name: Name,
  request: RouteRequest<Name> & { readonly lastEventId?: string | undefined },
): AsyncGenerator<HeardEvent<AnswerOf<Name>>> {
  const { body } = await send(name, request)
  for await (const { id, data } of readEvents(body!))
    yield { id, data: JSON.parse(data) as AnswerOf<Name> }
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly signal?: AbortSignal
  readonly lastEventId?: string
}

async function send(name: RouteName, request: object): Promise<Response> {
  const { params = {}, query = {}, body, signal, lastEventId } = request as AnyRequest
  const [method = 'get', path = ''] = name.split(' ')
  const currentKey = key.get()
  const chosen = tenant.get()
  const isFile = body instanceof Blob
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers: {
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
      ...(currentKey !== undefined && { authorization: `Bearer ${currentKey}` }),
      ...(chosen !== undefined && { 'x-throughline-tenant': encodeURIComponent(chosen) }),
      ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
    },
    body: isFile ? body : JSON.stringify(body),
    signal,
  }
  const response = await fetch(`${base}${fill(path, params)}${toSearch(query)}`, init).catch(
    error => {
      if (signal?.aborted) throw error
      noteAway()
      throw new AwayError(error)
    },
  )
  if (response.ok) return response
  const error = await toApiError(response)
  if (response.status === 401) keyProblem.set(currentKey === undefined ? 'missing' : 'refused')
  throw error
}

const fill = (path: string, params: Readonly<Record<string, string>>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''))

function toSearch(query: Readonly<Record<string, unknown>>): string {
  const fields = Object.entries(query).filter(([, value]) => value !== undefined)
  // Lists are divided by commas, which `String` does.
  const search = new URLSearchParams(fields.map(([name, value]) => [name, String(value)]))
  return fields.length === 0 ? '' : `?${search}`
}

/** The lines of a stream, without empty ones. Leaving the loop cancels it. */
async function* readLines(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunksOf(toText(body))) {
    const lines = `${rest}${chunk}`.split('\n')
    rest = lines.pop()!
    for (const line of lines) if (line !== '') yield line
  }
  if (rest !== '') yield rest
}

/** The server-sent events of a stream. `EventSource` cannot send a key. Leaving the loop cancels it. */
const readEvents = (body: ReadableStream<Uint8Array>) =>
  chunksOf(toText(body).pipeThrough(new EventSourceParserStream()))

const toText = (body: ReadableStream<Uint8Array>) =>
  body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>)

async function* chunksOf<Chunk>(stream: ReadableStream<Chunk>): AsyncGenerator<Chunk> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    reader.cancel().catch(() => undefined)
  }
}

/** A value that is kept for this tab only, and never stands in an address. */
function tabValue(place: string) {
  const value = observable<string | undefined>(sessionStorage.getItem(place) ?? undefined)
  const take = (next: string | undefined) => {
    if (next === undefined) sessionStorage.removeItem(place)
    else sessionStorage.setItem(place, next)
    value.set(next)
  }
  return [value, take] as const
}

const [key, keepKey] = tabValue('throughline.key')
/** The tenant that this tab shows; undefined for the tenant of the key. */
const [tenant, takeTenant] = tabValue('throughline.tenant')

export { key, takeTenant, tenant }

/** Why the page asks for a key: there is none, or the server refused it. Undefined while it does not ask. */
export const keyProblem = observable<'missing' | 'refused' | undefined>(undefined)

export function takeKey(next: string | undefined): void {
  keepKey(next)
  takeTenant(undefined)
  keyProblem.set(undefined)
}

/** What was read stays until the server tells of a change: see `listen`. A server that is away is asked again when it is back. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: Number.POSITIVE_INFINITY,
      gcTime: 10 * 60_000,
      refetchOnWindowFocus: false,
      refetchOnReconnect: false,
      networkMode: 'always',
      retry: (count, error) => error instanceof ApiError && error.status === 503 && count < 2,
    },
    mutations: { networkMode: 'always' },
  },
})

/**
 * Reads a query outside of views, to its end. It is followed meanwhile: the request of a query that no view follows any longer is
 * cancelled, and whoever else waits for it would get a `CancelledError`.
 */
export async function readQuery<Answer, Key extends QueryKey>(
  query: FetchQueryOptions<Answer, Error, Answer, Key>,
): Promise<Answer> {
  const unfollow = new QueryObserver(queryClient, query).subscribe(() => undefined)
  try {
    return await queryClient.fetchQuery(query)
  } finally {
    unfollow()
  }
}
