import { queryOptions } from '@tanstack/react-query'
import { type AnswerOf, ask, askLines, type QueryOf, queryClient } from './client.ts'
import { type FitQuery, splitPlace, type ThreadAddress } from './queries.ts'

export type TimelinePoint = AnswerOf<'get /conversations/:conversation/timeline'>

export interface TimelineData {
  /** Sorted by place; until `isWhole`, points in the middle may be missing. */
  readonly points: readonly TimelinePoint[]
  readonly isWhole: boolean
  /** Whether the rest is read only on request: see `readAll`. */
  readonly isWaiting?: boolean
}

/** Without stored calls, a context is computed for every turn; above this many entries only on request. */
const longest = 4000

/** The entries at the end that are asked for first: people look at them most. Of a long thread fewer: each may be computed. */
const tailOf = (head: number) => (head > longest ? 8 : 24)

export function readPoints(
  place: ThreadAddress,
  options: Omit<QueryOf<'get /conversations/:conversation/timeline'>, 'actor' | 'branch'>,
  signal: AbortSignal,
) {
  const { params, thread } = splitPlace(place)
  const query = { ...thread, limit: 20_000, against: [], ...options }
  return askLines('get /conversations/:conversation/timeline', { params, query, signal })
}

/** What was sent at each place where a model was asked. The newest points come first, older ones are filled in as they are read. */
export function timelineQuery(place: ThreadAddress) {
  const read = (since: number, signal: AbortSignal) => readPoints(place, { since }, signal)
  return queryOptions({
    queryKey: [...splitPlace(place).key, 'timeline'],
    // Thousands of points: comparing them costs more than drawing them.
    structuralSharing: false,
    queryFn: async ({ client, queryKey, signal }): Promise<TimelineData> => {
      const cached = client.getQueryData<TimelineData>(queryKey)
      const publish = (points: readonly TimelinePoint[]) =>
        client.setQueryData<TimelineData>(queryKey, { points, isWhole: false })
      if (cached?.isWhole && cached.points.length > 0) {
        // The last one is read again: its call may have ended meanwhile.
        const since = cached.points.at(-1)!.at
        const fresh = await collect(read(since, signal))
        return {
          points: [...cached.points.filter(({ at }) => at < since), ...fresh],
          isWhole: true,
        }
      }
      const { params, thread } = splitPlace(place)
      const query = { ...thread, limit: 1 }
      const { entries } = await ask('get /conversations/:conversation/log', {
        params,
        query,
        signal,
      })
      const head = entries.at(-1)?.seq ?? 0
      const tail = tailOf(head)
      const newest = head > 2 * tail ? await collect(read(head - tail, signal)) : []
      if (newest.length > 0) {
        publish(newest)
        // Leaves time for the request of the point that is shown.
        await new Promise(resolve => setTimeout(resolve, 300))
      }
      const isCheap = head <= longest || newest.some(point => point.call !== undefined)
      if (!isCheap && !wanted.has(JSON.stringify(queryKey)))
        return { ...merge(cached ?? { points: [], isWhole: false }, newest), isWaiting: true }
      const older = await collect(before(read(0, signal), newest[0]?.at), points =>
        publish([...points, ...newest]),
      )
      return { points: [...older, ...newest], isWhole: true }
    },
  })
}

/** The first place from an entry on where a model was asked. */
export const firstPointQuery = (place: ThreadAddress, since: number) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'first point', since],
    queryFn: async ({ signal }): Promise<TimelinePoint | null> =>
      (await collect(readPoints(place, { since, limit: 1 }, signal)))[0] ?? null,
  })

/** Adds points from an entry on to a timeline that has not reached them yet. */
export const pointsQuery = (place: ThreadAddress, since: number) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'points', since],
    queryFn: async ({ client, signal }): Promise<number> => {
      const points = await collect(readPoints(place, { since, limit: 10 }, signal))
      client.setQueryData(timelineQuery(place).queryKey, cached => cached && merge(cached, points))
      return points.length
    },
  })

function merge(cached: TimelineData, fresh: readonly TimelinePoint[]): TimelineData {
  const name = ({ at, call }: TimelinePoint) => `${at} ${call ?? ''}`
  const all = new Map([...cached.points, ...fresh].map(point => [name(point), point]))
  const points = [...all.values()].sort((a, b) => a.at - b.at || a.time - b.time)
  return { ...cached, points }
}

const wanted = new Set<string>()

/** Reads all points of a long thread, although their contexts must be computed. */
export function readAll(place: ThreadAddress): void {
  const { queryKey } = timelineQuery(place)
  wanted.add(JSON.stringify(queryKey))
  void queryClient.invalidateQueries({ queryKey })
}

/** Collects items; `publish` gets those read so far, at most every 300 ms. */
export async function collect<Item>(
  items: AsyncIterable<Item>,
  publish?: (items: readonly Item[]) => void,
) {
  const all: Item[] = []
  let published = performance.now()
  for await (const item of items) {
    all.push(item)
    if (!publish || performance.now() - published < 300) continue
    publish([...all])
    published = performance.now()
  }
  return all
}

async function* before(points: AsyncIterable<TimelinePoint>, place = Number.POSITIVE_INFINITY) {
  for await (const point of points) {
    if (point.at >= place) return
    yield point
  }
}

/** What the model got at a point, message by message, and what became of every entry. */
export interface Moment {
  readonly rows: readonly SentRow[]
  readonly stretches: readonly Stretch[]
  readonly call?: CallAnswer | undefined
}

export type CallAnswer = AnswerOf<'get /conversations/:conversation/calls/:call'>

export type ContextAnswer = AnswerOf<'get /conversations/:conversation/context'>
export type SentRow = ContextAnswer['sent'][number]
export type Stretch = ContextAnswer['stretches'][number]

export const momentKey = 'moment'

export type PointPlace = Pick<TimelinePoint, 'at' | 'call'> | undefined

export const momentQuery = (place: ThreadAddress, point: PointPlace) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, momentKey, point?.call ?? point?.at],
    enabled: point !== undefined,
    // A context of the past does not change, nor does a call, unless a conversation is deleted that it quotes.
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }): Promise<Moment> => {
      const answer = await askSent(place, point, { signal })
      const call = 'model' in answer ? answer : undefined
      return { rows: answer.sent, stretches: answer.stretches, call }
    },
  })

/** What was sent at a point: its stored call, else the context of that place. */
export function askSent(
  place: ThreadAddress,
  { at, call }: NonNullable<PointPlace> = { at: 0 },
  { texts, signal }: { readonly texts?: false; readonly signal: AbortSignal },
) {
  const { params, thread } = splitPlace(place)
  return call === undefined
    ? ask('get /conversations/:conversation/context', {
        params,
        query: { ...thread, at, texts, messages: false },
        signal,
      })
    : ask('get /conversations/:conversation/calls/:call', {
        params: { ...params, call },
        query: { ...thread, texts },
        signal,
      })
}

/** What had to be read anew at a place where a model was asked, and what other policies would have read there, in their order. */
export interface ComparedPoint extends Pick<TimelinePoint, 'at' | 'call' | 'anew'> {
  readonly against: readonly number[]
}

export interface Comparison {
  readonly policies: readonly string[]
  /** From the first point on, without gaps. */
  readonly points: readonly ComparedPoint[]
  readonly isWhole: boolean
}

/** Compares what was read over time with other policies. Points come one by one; later only those that are new are read. */
export const comparisonQuery = (place: ThreadAddress, policies: readonly string[]) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'comparison', policies],
    queryFn: async ({ client, queryKey, signal }): Promise<Comparison> => {
      const cached = client.getQueryData<Comparison>(queryKey)?.points ?? []
      // The last one is read again: its call may have ended meanwhile.
      const since = cached.at(-1)?.at ?? 0
      const kept = cached.filter(({ at }) => at < since)
      const toComparison = (fresh: readonly ComparedPoint[], isWhole: boolean) => ({
        policies,
        points: [...kept, ...fresh],
        isWhole,
      })
      const query = { since, fates: false, against: [...policies] }
      const points = toCompared(readPoints(place, query, signal))
      const publish = (fresh: readonly ComparedPoint[]) =>
        client.setQueryData<Comparison>(queryKey, toComparison(fresh, false))
      return toComparison(await collect(points, publish), true)
    },
  })

async function* toCompared(points: AsyncIterable<TimelinePoint>): AsyncGenerator<ComparedPoint> {
  for await (const { at, call, anew, against } of points)
    yield { at, call, anew, against: against.map(one => one.anew) }
}

/** What the calls from a place on would have read anew, oldest first, with other settings and, `against` them, other policies. */
export const costQuery = (
  place: ThreadAddress,
  settings: Omit<FitQuery, 'at' | 'messages' | 'texts'> & { readonly since: number },
  policies: readonly string[] = [],
) =>
  queryOptions({
    queryKey: [...splitPlace(place).key, 'cost', settings, policies],
    queryFn: async ({ signal }) => {
      const query = { ...settings, fates: false, against: [...policies] }
      const points = await collect(toCompared(readPoints(place, query, signal)))
      const against: Readonly<Record<string, readonly number[]>> = Object.fromEntries(
        policies.map((policy, index) => [policy, points.map(one => one.against[index]!)]),
      )
      return { anew: points.map(({ anew }) => anew), against }
    },
  })
