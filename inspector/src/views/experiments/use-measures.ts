import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { PlanJson } from '../../api/experiment-queries.ts'
import type { GoalMeasure } from './goal-measure.ts'

export type Measures = readonly (GoalMeasure | undefined)[]

/** The parser of CEL is a file of its own, which the board loads after the experiment is shown. */
const readerQuery = {
  queryKey: ['goal measure'],
  queryFn: () => import('./goal-measure.ts'),
  staleTime: Number.POSITIVE_INFINITY,
}

/** How far each goal of an experiment is; undefined for goals that cannot be measured, and while the plan is loading. */
export function useMeasures(plan: PlanJson | undefined, amount: number): Measures {
  const { data: reader } = useQuery(readerQuery)
  return useMemo(
    () => Array.from({ length: amount }, (_, at) => reader?.measureGoal(plan?.goals?.[at]?.holds ?? '')),
    [reader, plan, amount],
  )
}
