import { type QueryClient, queryOptions } from '@tanstack/react-query'
import { ask, askLines } from './client.ts'
import { splitPlace, type ThreadPlace } from './queries.ts'
import type { Answer } from './routes.ts'

export type TimelinePoint = Answer<'get /conversations/:conversation/timeline'>

export interface Timeline {
  /** By their places; while it is not whole, some in the middle may be missing. */
  readonly points: readonly TimelinePoint[]
  readonly isWhole: boolean
  /** Whether the rest is read only on request: see `readAll`. */
  readonly isWaiting?: boolean
}

/** Where no calls are stored, contexts are made for every turn: of longer threads than this only on request. */
const longest = 4000

/** The entries at the end that are asked for first: people look at them most. */
const tail = 24

/** What was sent at each place where a model was asked. The newest come first, the others are filled in as they are read. */
export function timelineQuery(place: ThreadPlace) {
  const { params, thread, key } = splitPlace(place)
  const read = (since: number, signal: AbortSignal) =>
    askLines('get /conversations/:conversation/timeline', {
      params,
      query: { ...thread, since, limit: 20_000, against: [] },
      signal,
    })
  return queryOptions({
    queryKey: [...key, 'timeline'],
    // Thousands of points: comparing them costs more than drawing them.
    structuralSharing: false,
    queryFn: async ({ client, queryKey, signal }): Promise<Timeline> => {
      const known = client.getQueryData<Timeline>(queryKey)
      const publish = (points: readonly TimelinePoint[]) =>
        client.setQueryData<Timeline>(queryKey, { points, isWhole: false })
      if (known?.isWhole && known.points.length > 0) {
        // The last one is read again: its call may have ended meanwhile.
        const since = known.points.at(-1)!.at
        const fresh = await collect(read(since, signal))
        return { points: [...known.points.filter(({ at }) => at < since), ...fresh], isWhole: true }
      }
      const { entries } = await ask('get /conversations/:conversation/log', {
        params,
        query: { ...thread, limit: 1 },
        signal,
      })
      const head = entries.at(-1)?.seq ?? 0
      const newest = head > 2 * tail ? await collect(read(head - tail, signal)) : []
      if (newest.length > 0) {
        publish(newest)
        // What is looked at now is asked for meanwhile, and comes first.
        await new Promise(resolve => setTimeout(resolve, 300))
      }
      const isCheap = head <= longest || newest.some(point => point.call !== undefined)
      if (!isCheap && !wanted.has(JSON.stringify(queryKey)))
        return { ...merge(known ?? { points: [], isWhole: false }, newest), isWaiting: true }
      const older: TimelinePoint[] = []
      let told = performance.now()
      for await (const point of read(0, signal)) {
        if (newest[0] && point.at >= newest[0].at) break
        older.push(point)
        if (performance.now() - told < 300) continue
        publish([...older, ...newest])
        told = performance.now()
      }
      return { points: [...older, ...newest], isWhole: true }
    },
  })
}

/** Reads some points from an entry on into the timeline, which has not reached them yet. */
export function pointsQuery(place: ThreadPlace, since: number) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'points', since],
    queryFn: async ({ client, signal }): Promise<number> => {
      const query = { ...thread, since, limit: 10, against: [] }
      const found = await collect(
        askLines('get /conversations/:conversation/timeline', { params, query, signal }),
      )
      client.setQueryData(timelineQuery(place).queryKey, known => known && merge(known, found))
      return found.length
    },
  })
}

function merge(known: Timeline, found: readonly TimelinePoint[]): Timeline {
  const name = ({ at, call }: TimelinePoint) => `${at} ${call ?? ''}`
  const all = new Map([...known.points, ...found].map(point => [name(point), point]))
  const points = [...all.values()].sort((a, b) => a.at - b.at || a.time - b.time)
  return { ...known, points }
}

const wanted = new Set<string>()

/** Reads all of a long thread, although contexts must be made for it. */
export function readAll(client: QueryClient, place: ThreadPlace): void {
  const { queryKey } = timelineQuery(place)
  wanted.add(JSON.stringify(queryKey))
  void client.invalidateQueries({ queryKey })
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = []
  for await (const item of items) all.push(item)
  return all
}

/** What the model got at a point, message by message, and what became of every entry. */
export interface Moment {
  readonly rows: readonly SentRow[]
  readonly stretches: readonly Stretch[]
  /** Codes of what was wrong with a call. */
  readonly warnings: readonly string[]
}

type Context = Answer<'get /conversations/:conversation/context'>
export type SentRow = Context['sent'][number]
export type Stretch = Context['stretches'][number]

export const momentKey = 'moment'

export function momentQuery(place: ThreadPlace, point: Pick<TimelinePoint, 'at' | 'call'> | undefined) {
  const { params, thread, key } = splitPlace(place)
  const { at = 0, call } = point ?? {}
  return queryOptions({
    queryKey: [...key, momentKey, call ?? at],
    enabled: point !== undefined,
    // A context of the past does not change, nor does a call, unless a conversation is deleted that it quotes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Moment> => {
      if (call === undefined) {
        const query = { ...thread, at, messages: false }
        const context = await ask('get /conversations/:conversation/context', { params, query, signal })
        return { rows: context.sent, stretches: context.stretches, warnings: [] }
      }
      const { sent, stretches, warnings } = await ask('get /conversations/:conversation/calls/:call', {
        params: { ...params, call },
        query: thread,
        signal,
      })
      return { rows: sent, stretches, warnings }
    },
  })
}
