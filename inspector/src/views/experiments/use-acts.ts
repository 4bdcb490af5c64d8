import { useQueries } from '@tanstack/react-query'
import { type ExperimentStep, type RoleAct, stepsPerPage, stepsQuery } from '../../api/experiment-queries.ts'

export type Acts = ReadonlyMap<number, ReadonlyMap<string, RoleAct>>

/** What roles did in a range of steps, by step and role. `ended` are the steps that have ended: these are read only once. */
export function useActs(experiment: string, ended: number, [first, last]: readonly [number, number]): Acts {
  const from = Math.floor((Math.max(1, first) - 1) / stepsPerPage)
  const to = Math.floor((Math.max(1, last) - 1) / stepsPerPage)
  return useQueries({
    queries: Array.from({ length: to - from + 1 }, (_, at) => {
      const page = from + at
      return stepsQuery(experiment, page, ended >= (page + 1) * stepsPerPage)
    }),
    combine: toActs,
  })
}

function toActs(
  pages: readonly { readonly data?: { readonly steps: readonly ExperimentStep[] } | undefined }[],
) {
  const acts = new Map<number, Map<string, RoleAct>>()
  for (const { data } of pages)
    for (const { step, acts: of } of data?.steps ?? [])
      acts.set(step, new Map(of.map(act => [act.role, act])))
  return acts
}
