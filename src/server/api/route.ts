import type { z } from 'zod'
import type { History } from '../../history/index.ts'
import type { Caller, Scope } from '../auth/caller.ts'
import type { Log } from '../exchange/asked.ts'
import type { ApiParts } from './api-parts.ts'
import type { ServerEvent } from './server-event.ts'

export type Method = 'get' | 'post' | 'patch' | 'delete'

/** A schema of an object whose fields stand in an address. */
export type Fields = z.ZodObject

/** What a route answers: a JSON value, a plain text, lines of JSON, server-sent events, or nothing. */
export type AnswerKind = 'json' | 'text' | 'lines' | 'events' | 'none'

/** A request that was read and checked. */
export interface Call<Params = unknown, Query = unknown, Body = unknown> {
  readonly params: Params
  readonly query: Query
  readonly body: Body
  readonly request: Request
  readonly requestId: string
  /** Aborted when the client has left. */
  readonly signal: AbortSignal
  readonly caller: Caller
  /** Whether the caller has a scope beyond that of the route. */
  readonly has: (scope: Scope) => boolean
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
  readonly scope: Scope
  readonly summary: string
  readonly params?: Fields
  readonly query?: Fields
  /** A schema of JSON, or `file` for bytes that the handler reads itself. */
  readonly body?: z.ZodType | 'file'
  readonly kind: AnswerKind
  /** The schema of the answer; of each line or event where there are many. */
  readonly answer?: z.ZodType
  /** Default 200; 204 for an answer of nothing. */
  readonly status?: number
  handle(call: Call): unknown
}

type Read<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined

/** A value of a schema as a handler may give it: read-only, and any object where a schema leaves the fields open. */
export type Told<Value> = Value extends readonly (infer Item)[]
  ? readonly Told<Item>[]
  : Value extends object
    ? string extends keyof Value
      ? object
      : { readonly [Name in keyof Value]: Told<Value[Name]> }
    : Value

/** What a handler returns for each kind of answer. */
export interface Answers<Answer> {
  json: Answer
  text: string
  lines: AsyncIterable<Answer | string>
  events: AsyncIterable<ServerEvent<Answer>>
  none: undefined
}

/** A route that tells in its type what is asked and what is answered, so that a client can be typed by the routes. */
export interface TypedRoute<Method, Path, Kind, Query, Body, Answer> extends Route {
  /** Never there at run time. */
  readonly typed?: {
    readonly method: Method
    readonly path: Path
    readonly kind: Kind
    readonly query: Query extends z.ZodType ? z.input<Query> : undefined
    readonly body: Body extends z.ZodType ? z.input<Body> : Body extends 'file' ? Blob : Body
    readonly answer: Answer extends z.ZodType ? z.output<Answer> : unknown
  }
}

/** Types a route by its schemas. */
export function defineRoute<
  const Called extends Method,
  const Path extends string,
  Kind extends AnswerKind,
  Params extends Fields | undefined = undefined,
  Query extends Fields | undefined = undefined,
  Body extends z.ZodType | 'file' | undefined = undefined,
  Answer extends z.ZodType = z.ZodType,
>(
  route: Omit<Route, 'method' | 'path' | 'kind' | 'params' | 'query' | 'body' | 'answer' | 'handle'> & {
    readonly method: Called
    readonly path: Path
    readonly kind: Kind
    readonly params?: Params
    readonly query?: Query
    readonly body?: Body
    readonly answer?: Answer
    handle(
      call: Call<Read<Params>, Read<Query>, Read<Body>>,
    ): Answers<Told<z.input<Answer>>>[Kind] | Promise<Answers<Told<z.input<Answer>>>[Kind]>
  },
): TypedRoute<Called, Path, Kind, Query, Body, Answer> {
  return route as unknown as TypedRoute<Called, Path, Kind, Query, Body, Answer>
}
