import type { apiRoutes } from '../../../src/server/api/routes.ts'

/** The routes of the server, in types only: a change of the API that this page does not follow breaks its types. */
type Typed = NonNullable<(typeof apiRoutes)[number]['typed']>

/** `get /conversations/:conversation/context` */
export type RouteName = Typed extends infer One
  ? One extends { readonly method: infer Method extends string; readonly path: infer Path extends string }
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
} & ([Param<Name>] extends [never] ? object : { readonly params: Readonly<Record<Param<Name>, string>> }) &
  (QueryOf<Name> extends undefined
    ? object
    : object extends QueryOf<Name>
      ? { readonly query?: QueryOf<Name> }
      : { readonly query: QueryOf<Name> }) &
  (BodyOf<Name> extends undefined ? object : { readonly body: BodyOf<Name> })

/** What the server says of itself to the holder of a key. */
export type ServerInfo = AnswerOf<'get /server'>
