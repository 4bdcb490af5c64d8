import { queryOptions } from '@tanstack/react-query'
import { type FitQuery, splitPlace, type ThreadAddress } from './queries.ts'
import { collect, readPoints, type TimelinePoint } from './timeline.ts'

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
        ...{ policies, points: [...kept, ...fresh], isWhole },
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

/**
 * What the calls from a place on would have read anew, with other settings than they had, oldest first. `against`: with other
 * policies and the same window, by their names.
 */
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
