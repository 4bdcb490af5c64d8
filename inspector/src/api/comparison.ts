import { queryOptions } from '@tanstack/react-query'
import { askLines } from './client.ts'
import { type FitQuery, splitPlace, type ThreadPlace } from './queries.ts'

/** What had to be read anew at a place where a model was asked, and what other policies would have read there. */
export interface ComparedPoint {
  readonly at: number
  readonly call?: string | undefined
  readonly anew: number
  /** In the order in which the policies were named. */
  readonly against: readonly number[]
}

export interface Comparison {
  readonly policies: readonly string[]
  /** From the first one on, without gaps. */
  readonly points: readonly ComparedPoint[]
  readonly isWhole: boolean
}

/** Compares what was read over time with other policies. Points come one by one; later only those that are new are read. */
export function comparisonQuery(place: ThreadPlace, policies: readonly string[]) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'comparison', policies],
    queryFn: async ({ client, queryKey, signal }): Promise<Comparison> => {
      const known = client.getQueryData<Comparison>(queryKey)
      // The last one is read again: its call may have ended meanwhile.
      const since = known?.points.at(-1)?.at ?? 0
      const points = known?.points.filter(({ at }) => at < since) ?? []
      let told = performance.now()
      const query = { ...thread, since, limit: 20_000, fates: false, against: [...policies] }
      for await (const { at, call, anew, against } of askLines('get /conversations/:conversation/timeline', {
        params,
        query,
        signal,
      })) {
        points.push({ at, call, anew, against: against.map(one => one.anew) })
        if (performance.now() - told < 300) continue
        client.setQueryData<Comparison>(queryKey, { policies, points: [...points], isWhole: false })
        told = performance.now()
      }
      return { policies, points, isWhole: true }
    },
  })
}

/** What calls with some settings would have read: the tokens that are read anew in each, oldest first. */
export interface Cost {
  readonly anew: readonly number[]
  /** Of other policies with the same window, by their names. */
  readonly against: Readonly<Record<string, readonly number[]>>
}

/** What the calls from a place on would have read, with other settings than they had. */
export function costQuery(
  place: ThreadPlace,
  settings: Omit<FitQuery, 'at' | 'messages' | 'texts'> & { readonly since: number },
  policies: readonly string[] = [],
) {
  const { params, thread, key } = splitPlace(place)
  return queryOptions({
    queryKey: [...key, 'cost', settings, policies],
    queryFn: async ({ signal }): Promise<Cost> => {
      const query = { ...thread, ...settings, limit: 20_000, fates: false, against: [...policies] }
      const own: number[] = []
      const others = policies.map((): number[] => [])
      for await (const { anew, against } of askLines('get /conversations/:conversation/timeline', {
        ...{ params, query, signal },
      })) {
        own.push(anew)
        for (const [index, other] of against.entries()) others[index]?.push(other.anew)
      }
      return {
        anew: own,
        against: Object.fromEntries(policies.map((policy, index) => [policy, others[index]!])),
      }
    },
  })
}
