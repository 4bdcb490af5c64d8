import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask } from './client.ts'
import { splitPlace, type ThreadAddress, threadQuery } from './queries.ts'
import { askSent, collect, type PointPlace, readPoints, type TimelinePoint } from './timeline.ts'

/** A message as a user may see it: without notes. */
export type ShownMessage = AnswerOf<'get /conversations/:conversation/entries'>['entries'][number]

export const perBlock = 100

export const blockOf = (seq: number) => Math.floor((seq - 1) / perBlock)

export type PageCall = NonNullable<
  AnswerOf<'get /conversations/:conversation/entries'>['calls']
>[number]

export interface ShownBlock {
  readonly messages: ReadonlyMap<number, ShownMessage>
  readonly calls: readonly PageCall[]
  /** Whether all its entries are written: then it never changes. */
  readonly isFull: boolean
}

export interface ShownOptions {
  /** The last entry now. */
  readonly head: number
  readonly mayInspect: boolean
}

/** The messages of a stretch of a thread as a user may see them. `block` counts stretches from 0. */
export function shownQuery(
  place: ThreadAddress,
  block: number,
  { head, mayInspect }: ShownOptions,
) {
  const { params, thread, key } = splitPlace(place)
  const first = block * perBlock + 1
  const at = first + perBlock - 1
  return queryOptions({
    queryKey: [...key, 'shown', block, mayInspect],
    staleTime: ({ state }: { readonly state: { readonly data?: ShownBlock | undefined } }) =>
      state.data?.isFull ? 'static' : Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<ShownBlock> => {
      const { entries, calls = [] } = await ask('get /conversations/:conversation/entries', {
        params,
        query: { ...thread, at, limit: perBlock, calls: mayInspect || undefined },
        signal,
      })
      const inBlock = entries.filter(({ seq }) => seq >= first)
      // The call that ends with the last entry comes after it.
      return { messages: new Map(inBlock.map(one => [one.seq, one])), calls, isFull: head > at }
    },
  })
}

const mostCompared = 40

/** The first messages behind a place as a user may see them. */
export function shownAfterQuery(place: ThreadAddress, after: number, head: number) {
  const { params, thread, key } = splitPlace(place)
  const at = Math.min(head, after + mostCompared)
  return queryOptions({
    queryKey: [...key, 'shown after', after, at],
    queryFn: async ({ signal }): Promise<readonly ShownMessage[]> => {
      if (at <= after) return []
      const query = { ...thread, at, limit: mostCompared }
      const { entries } = await ask('get /conversations/:conversation/entries', {
        params,
        query,
        signal,
      })
      return entries.filter(({ seq }) => seq > after)
    },
  })
}

/** What was sent in the last call of a thread; where no call is stored, what its last turn would have sent. Without texts. */
export const lastPointQuery = (place: ThreadAddress, head: number) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'last point'],
    enabled: head > 0,
    queryFn: async ({ signal }): Promise<TimelinePoint | null> => {
      // The last turn is seldom longer, and every point that is read must be computed.
      for (const since of [Math.max(0, head - 8), Math.max(0, head - 60), 0]) {
        const last = (await collect(readPoints(place, { since }, signal))).at(-1)
        if (last || since === 0) return last ?? null
      }
      return null
    },
  })

/** The messages of a point in the order of the prompt, and why each entry was sent or not. Without texts: notes are among them. */
export const bareRowsQuery = (place: ThreadAddress, point: PointPlace) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'bare rows', point?.call ?? point?.at],
    enabled: point !== undefined,
    staleTime: 'static',
    queryFn: async ({ signal }) => {
      const { sent, stretches } = await askSent(place, point, { texts: false, signal })
      return { sent, stretches }
    },
  })

/** What would be sent for a draft, and how much of that the last call had. */
export function forecastQuery(place: ThreadAddress, input: string, model: string | undefined) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'forecast', model ?? '', input],
    placeholderData: keepPreviousData,
    // Every pause in typing makes another draft.
    gcTime: 0,
    queryFn: ({ signal }) =>
      ask('post /conversations/:conversation/forecast', {
        params,
        query: thread,
        body: { input, model },
        signal,
      }),
  })
}

/** The tokens of the replies of a turn, as they were counted. */
export function writtenQuery(
  place: ThreadAddress,
  turn: { readonly turn: number; readonly first: number; readonly last: number } | undefined,
  factor = 1,
) {
  const { first: from = 0, last = 0 } = turn ?? {}
  const limit = Math.max(1, Math.min(last - from + 1, 1000))
  return {
    ...threadQuery(place, 'get /conversations/:conversation/outline', { from, limit }),
    enabled: turn !== undefined,
    select: ({ entries }: AnswerOf<'get /conversations/:conversation/outline'>) =>
      entries
        .filter(({ role }) => role === 'assistant')
        .reduce((sum, { tokens = 0 }) => sum + Math.round(tokens * factor), 0),
  }
}
