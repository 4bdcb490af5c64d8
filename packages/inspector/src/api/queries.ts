import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  experimental_streamedQuery as streamedQuery,
} from '@tanstack/react-query'
import {
  type AnswerOf,
  ask,
  askLines,
  type NameOfKind,
  type QueryOf,
  type RouteRequest,
} from './client.ts'

/** The thread that requests mean when they name none. */
export const usualActor = 'assistant'
export const usualBranch = 'main'

/** A thread of a conversation, as it stands in addresses. */
export interface ThreadAddress {
  readonly conversation: string
  readonly actor?: string | undefined
  readonly branch?: string | undefined
}

/** The keys of what belongs to a conversation begin with this: an event of the server makes these stale, and only these. */
export const inConversation = (conversation: string) => ['c', conversation] as const

/** The pieces of which requests and keys of a thread are made. */
export const splitPlace = ({ conversation, actor, branch }: ThreadAddress) => ({
  params: { conversation },
  thread: { actor, branch },
  key: [...inConversation(conversation), actor ?? '', branch ?? ''] as const,
})

/** What a route answers at once, kept under a key. */
export const routeQuery = <Name extends NameOfKind<'json' | 'text'>>(
  queryKey: readonly unknown[],
  name: Name,
  request?: Omit<RouteRequest<Name>, 'signal'>,
) =>
  queryOptions({
    queryKey,
    queryFn: ({ signal }) => ask(name, { ...request, signal } as RouteRequest<Name>),
  })

export const serverQuery = routeQuery(['server'], 'get /server')

/** All conversations, last written to first. `conversation-list.ts` keeps the rows up to date by events. */
export const conversationsQuery = infiniteQueryOptions({
  queryKey: ['conversations'],
  queryFn: ({ pageParam, signal }) => askConversations(pageParam, signal),
  initialPageParam: undefined as string | undefined,
  getNextPageParam: page => page.next,
  // Rows that did not change stay the same objects without being compared: there may be 10,000.
  structuralSharing: false,
})

export const askConversations = (after?: string, signal?: AbortSignal) =>
  ask('get /conversations', {
    // Provisional conversations have only a first message so far.
    query: { include: 'provisional', latest: true, limit: 100, after },
    signal,
  })

export const conversationQuery = (conversation: string) =>
  routeQuery([...inConversation(conversation), 'info'], 'get /conversations/:conversation', {
    params: { conversation },
  })

export const threadsQuery = (conversation: string) =>
  routeQuery(
    [...inConversation(conversation), 'threads'],
    'get /conversations/:conversation/threads',
    {
      params: { conversation },
    },
  )

type ThreadRoute = Extract<
  NameOfKind<'json' | 'text'>,
  `get /conversations/:conversation/${string}`
>

type ThreadQuery<Name extends ThreadRoute> = Omit<NonNullable<QueryOf<Name>>, 'actor' | 'branch'>

/** What a route says of a thread. `more` are the params of its path besides the conversation. */
export function threadQuery<Name extends ThreadRoute>(
  place: ThreadAddress,
  name: Name,
  query?: ThreadQuery<Name>,
  more?: Readonly<Record<string, string>>,
) {
  const { params, thread, key } = splitPlace(place)
  const request = { params: { ...params, ...more }, query: { ...thread, ...query } }
  return routeQuery([...key, name, more, query], name, request as unknown as RouteRequest<Name>)
}

export const turnsQuery = (place: ThreadAddress) =>
  threadQuery(place, 'get /conversations/:conversation/turns')

export const statusQuery = (place: ThreadAddress) =>
  threadQuery(place, 'get /conversations/:conversation/status')

export function outlineQuery(place: ThreadAddress) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'outline'],
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const limit = 20_000
      const entries: AnswerOf<'get /conversations/:conversation/outline'>['entries'] = []
      for (;;) {
        const from = (entries.at(-1)?.seq ?? 0) + 1
        const query = { ...thread, from, limit }
        const page = await ask('get /conversations/:conversation/outline', {
          params,
          query,
          signal,
        })
        for (const entry of page.entries) entries.push(entry)
        if (page.entries.length < limit) return entries
      }
    },
  })
}

/** The texts of a page of the log: the entries up to `at`, at most `limit`. */
export const logQuery = (
  place: ThreadAddress,
  page: { readonly at: number; readonly limit: number },
) => threadQuery(place, 'get /conversations/:conversation/log', page)

export type FitQuery = ThreadQuery<'get /conversations/:conversation/context'>

/** The context that a model would get. The previous one stays while the next one is computed. */
export const contextQuery = (place: ThreadAddress, fit: FitQuery = {}) => ({
  ...threadQuery(place, 'get /conversations/:conversation/context', fit),
  placeholderData: keepPreviousData,
})

export const callsQuery = (place: ThreadAddress, limit = 1000) =>
  threadQuery(place, 'get /conversations/:conversation/calls', { limit })

export const dumpQuery = (place: ThreadAddress, fit: Omit<FitQuery, 'messages' | 'since'> = {}) =>
  threadQuery(place, 'get /conversations/:conversation/dump', fit)

/** Messages with every word of `q`, newest first. The previous result stays while the next one is read. */
export const searchQuery = (q: string, isEverything: boolean) => ({
  ...routeQuery(['search', q, isEverything], 'get /search', {
    query: { q, limit: 200, scope: isEverything ? 'everything' : undefined },
  }),
  enabled: q.trim() !== '',
  // Events do not make a search stale: opening it again asks again.
  staleTime: 5_000,
  placeholderData: keepPreviousData,
})

export type WhyAnswer = AnswerOf<'get /conversations/:conversation/entries/:entry/why'>

/** A place where a model was asked, and its call if that is stored. */
interface AskedPlace {
  readonly at: number
  readonly call?: string | undefined
}

const askedAt = ({ at, call }: AskedPlace) => (call === undefined ? { at } : { call })

const whyRoute = 'get /conversations/:conversation/entries/:entry/why'

export const whyQuery = (place: ThreadAddress, entry: number, point: AskedPlace) => ({
  ...threadQuery(place, whyRoute, askedAt(point), { entry: String(entry) }),
  enabled: entry <= point.at,
})

export type SeenAnswer = AnswerOf<'get /conversations/:conversation/seen'>

/** Whether a context has what a text says; without a text, what its newest message asks for and it lacks. */
export const seenQuery = (place: ThreadAddress, point: AskedPlace, text?: string) =>
  threadQuery(place, 'get /conversations/:conversation/seen', { ...askedAt(point), text })

/** Why an answer forgot a message: the one that is named, else what clearly has the text, or what was asked. */
export const cardQuery = (
  place: ThreadAddress,
  point: AskedPlace,
  needed: { readonly entry?: number | undefined; readonly text?: string | undefined } = {},
) => threadQuery(place, 'get /conversations/:conversation/card', { ...askedAt(point), ...needed })

export const handsQuery = (place: ThreadAddress) =>
  threadQuery(place, 'get /conversations/:conversation/hands')

/** Cells come one by one. `asker`: a query whose asker is replaced in the same moment would be cancelled and not begun again. */
export function gridQuery(
  place: ThreadAddress,
  query: Omit<QueryOf<'get /conversations/:conversation/grid'>, 'actor' | 'branch'>,
  asker: string,
) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'grid', query, asker],
    queryFn: streamedQuery({
      streamFn: ({ signal }) =>
        askLines('get /conversations/:conversation/grid', {
          params,
          query: { ...thread, ...query },
          signal,
        }),
      refetchMode: 'replace',
    }),
  })
}

export const notesQuery = (place: ThreadAddress, limit = 1000) =>
  threadQuery(place, 'get /conversations/:conversation/notes', { limit })

/** The typed values that tools reported, as they were at a place. */
export const stateQuery = (place: ThreadAddress, at?: number) => ({
  ...threadQuery(place, 'get /conversations/:conversation/state', { at }),
  placeholderData: keepPreviousData,
})

export const callDumpQuery = (place: ThreadAddress, call: string) =>
  threadQuery(place, 'get /conversations/:conversation/calls/:call/dump', {}, { call })
