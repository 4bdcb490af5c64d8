import { AwayError, toApiError } from './api-error.ts'
import { noteAway } from './connection.ts'
import { key, keyProblem, tenant } from './key.ts'
import { readEvents, readLines } from './read-stream.ts'
import type { AnswerOf, NameOfKind, RouteName, RouteRequest } from './routes.ts'

const base = '/throughline/v1'

/** Asks a route that answers with JSON or with a text. */
export async function ask<Name extends NameOfKind<'json' | 'text'>>(
  name: Name,
  request: RouteRequest<Name>,
): Promise<AnswerOf<Name>> {
  const response = await send(name, request)
  const isJson = response.headers.get('content-type')?.startsWith('application/json')
  return (isJson ? await response.json() : await response.text()) as AnswerOf<Name>
}

/** Asks a route that answers with nothing. */
export async function tell<Name extends NameOfKind<'none'>>(
  name: Name,
  request: RouteRequest<Name>,
): Promise<void> {
  await send(name, request)
}

/** Asks a route that answers line by line. Breaking off closes the connection. */
export async function* askLines<Name extends NameOfKind<'lines'>>(
  name: Name,
  request: RouteRequest<Name>,
): AsyncGenerator<AnswerOf<Name>> {
  const { body } = await send(name, request)
  for await (const line of readLines(body!)) yield JSON.parse(line) as AnswerOf<Name>
}

/** Asks a route that answers line by line for its bytes as they are, to keep them in a file. */
export async function askBytes<Name extends NameOfKind<'lines'>>(
  name: Name,
  request: RouteRequest<Name>,
): Promise<Blob> {
  return (await send(name, request)).blob()
}

export interface HeardEvent<Data> {
  readonly id: string | undefined
  readonly data: Data
}

/** Asks a route that answers with events. They are read by `fetch`, which can send a key. Breaking off closes it. */
export async function* askEvents<Name extends NameOfKind<'events'>>(
  name: Name,
  request: RouteRequest<Name> & { readonly lastEventId?: string | undefined },
): AsyncGenerator<HeardEvent<AnswerOf<Name>>> {
  const { lastEventId } = request
  const headers = lastEventId === undefined ? undefined : { 'last-event-id': lastEventId }
  const { body } = await send(name, request, headers)
  for await (const { id, data } of readEvents(body!)) yield { id, data: JSON.parse(data) as AnswerOf<Name> }
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly signal?: AbortSignal
}

async function send(
  name: RouteName,
  request: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const { params = {}, query = {}, body, signal } = request as AnyRequest
  const [method = 'get', path = ''] = name.split(' ')
  const currentKey = key.get()
  const chosen = tenant.get()
  const isFile = body instanceof Blob
  const init: RequestInit = {
    method: method.toUpperCase(),
    headers: {
      ...headers,
      ...(currentKey !== undefined && { authorization: `Bearer ${currentKey}` }),
      ...(chosen !== undefined && { 'x-throughline-tenant': encodeURIComponent(chosen) }),
      ...(body !== undefined && !isFile && { 'content-type': 'application/json' }),
    },
    body: isFile ? body : JSON.stringify(body),
    signal,
  }
  const response = await fetch(`${base}${fill(path, params)}${toSearch(query)}`, init).catch(error => {
    if (signal?.aborted) throw error
    noteAway()
    throw new AwayError(error)
  })
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
