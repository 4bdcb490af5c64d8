import {
  infiniteQueryOptions,
  keepPreviousData,
  queryOptions,
  experimental_streamedQuery as streamedQuery,
} from '@tanstack/react-query'
import { ask, askLines, askText } from './client.ts'
import type { Answer, QueryOf } from './routes.ts'

/** A thread of a conversation, as it stands in addresses. */
export interface ThreadPlace {
  readonly conversation: string
  readonly actor?: string | undefined
  readonly branch?: string | undefined
}

/**
 * What views read. The keys of all that belongs to a conversation begin with `['c', conversation]`: an event of the server
 * makes these stale, and only these.
 */
export const inConversation = (conversation: string) => ['c', conversation] as const

/** The pieces of which requests and keys of a thread are made. */
export const splitPlace = ({ conversation, actor, branch }: ThreadPlace) => ({
  params: { conversation },
  thread: { ...(actor !== undefined && { actor }), ...(branch !== undefined && { branch }) },
  key: [...inConversation(conversation), actor ?? '', branch ?? ''] as const,
})

export const serverQuery = queryOptions({
  queryKey: ['server'],
  queryFn: ({ signal }) => ask('get /server', { signal }),
})

/**
 * All conversations with where each stands, last written to first. Events keep it up to date row by row: see
 * `conversation-list.ts`.
 */
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
    // A first message is shown when it comes, not only when the conversation goes on.
    query: { include: 'provisional', latest: true, limit: 100, ...(after !== undefined && { after }) },
    signal,
  })

export const conversationQuery = (conversation: string) =>
  queryOptions({
    queryKey: [...inConversation(conversation), 'info'],
    queryFn: ({ signal }) => ask('get /conversations/:conversation', { params: { conversation }, signal }),
  })

export const threadsQuery = (conversation: string) =>
  queryOptions({
    queryKey: [...inConversation(conversation), 'threads'],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/threads', { params: { conversation }, signal }),
  })

export function turnsQuery(place: ThreadPlace) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'turns'],
    queryFn: ({ signal }) => ask('get /conversations/:conversation/turns', { params, query: thread, signal }),
  })
}

/** Whether a turn of the thread is open. */
export function statusQuery(place: ThreadPlace) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'status'],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/status', { params, query: thread, signal }),
  })
}

/** All entries without their texts. */
export function outlineQuery(place: ThreadPlace) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'outline'],
    structuralSharing: false,
    queryFn: async ({ signal }) => {
      const limit = 20_000
      const entries: Answer<'get /conversations/:conversation/outline'>['entries'] = []
      for (;;) {
        const from = (entries.at(-1)?.seq ?? 0) + 1
        const query = { ...thread, from, limit }
        const page = await ask('get /conversations/:conversation/outline', { params, query, signal })
        for (const entry of page.entries) entries.push(entry)
        if (page.entries.length < limit) return entries
      }
    },
  })
}

/** The texts of a page of the log: the entries up to `at`, at most `limit`. */
export function logQuery(place: ThreadPlace, page: { readonly at: number; readonly limit: number }) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'log', page],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/log', { params, query: { ...thread, ...page }, signal }),
  })
}

export type FitQuery = Omit<
  NonNullable<QueryOf<'get /conversations/:conversation/context'>>,
  'actor' | 'branch'
>

/** What a model would get. While another one is made, the last one stays. */
export function contextQuery(place: ThreadPlace, fit: FitQuery = {}) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'context', fit],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/context', { params, query: { ...thread, ...fit }, signal }),
    placeholderData: keepPreviousData,
  })
}

export function callsQuery(place: ThreadPlace, limit = 1000) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'calls', limit],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/calls', { params, query: { ...thread, limit }, signal }),
  })
}

export function dumpQuery(place: ThreadPlace, fit: Omit<FitQuery, 'messages' | 'since'> = {}) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'dump', fit],
    queryFn: ({ signal }) =>
      askText('get /conversations/:conversation/dump', { params, query: { ...thread, ...fit }, signal }),
  })
}

/** Messages with every word of `q`, newest first. While others are looked for, the last ones stay. */
export const searchQuery = (q: string, isEverything: boolean) =>
  queryOptions({
    queryKey: ['search', q, isEverything],
    queryFn: ({ signal }) =>
      ask('get /search', { query: { q, limit: 200, ...(isEverything && { scope: 'everything' }) }, signal }),
    enabled: q.trim() !== '',
    // Events do not make a search stale: opening it again asks again.
    staleTime: 5_000,
    placeholderData: keepPreviousData,
  })

export type Why = Answer<'get /conversations/:conversation/entries/:entry/why'>

/** Why an entry has its fate, in a call or at a place. */
export function whyQuery(
  place: ThreadPlace,
  entry: number,
  { at, call }: { readonly at: number; readonly call?: string | undefined },
) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'why', entry, call ?? at],
    enabled: entry <= at,
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/entries/:entry/why', {
        params: { ...params, entry: String(entry) },
        query: { ...thread, ...(call === undefined ? { at } : { call }) },
        signal,
      }),
  })
}

/** The same place in several windows with several policies. Cells come one by one. */
export function gridQuery(
  place: ThreadPlace,
  asked: Omit<QueryOf<'get /conversations/:conversation/grid'>, 'actor' | 'branch'>,
) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'grid', asked],
    queryFn: streamedQuery({
      streamFn: ({ signal }) =>
        askLines('get /conversations/:conversation/grid', { params, query: { ...thread, ...asked }, signal }),
      refetchMode: 'replace',
    }),
  })
}

export function notesQuery(place: ThreadPlace, limit = 1000) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'notes', limit],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/notes', { params, query: { ...thread, limit }, signal }),
  })
}

/** What tools have told, as typed values, as it was at a place. */
export function stateQuery(place: ThreadPlace, at?: number) {
  const { params, thread, key } = splitPlace(place)
  const query = { ...thread, ...(at !== undefined && { at }) }
  return queryOptions({
    queryKey: [...key, 'state', at ?? ''],
    queryFn: ({ signal }) => ask('get /conversations/:conversation/state', { params, query, signal }),
    placeholderData: keepPreviousData,
  })
}

/** One call with the messages that were sent. */
export function callQuery(place: ThreadPlace, call: string) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'call', call],
    queryFn: ({ signal }) =>
      ask('get /conversations/:conversation/calls/:call', {
        ...{ params: { ...params, call }, query: thread, signal },
      }),
  })
}

/** What was sent in one call, as text. */
export function callDumpQuery(place: ThreadPlace, call: string) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'call-dump', call],
    queryFn: ({ signal }) =>
      askText('get /conversations/:conversation/calls/:call/dump', {
        ...{ params: { ...params, call }, query: thread, signal },
      }),
  })
}
