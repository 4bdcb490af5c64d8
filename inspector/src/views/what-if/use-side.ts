import { useQuery } from '@tanstack/react-query'
import { AwayError } from '../../api/api-error.ts'
import { costQuery } from '../../api/comparison.ts'
import { contextQuery, type ThreadPlace } from '../../api/queries.ts'
import { type Side, toFit } from './side.ts'
import type { SideAnswer } from './side-head.tsx'

export interface MadeSide {
  readonly answer: SideAnswer | undefined
  readonly error: Error | null
  /** What is shown belongs to what was asked before. */
  readonly isStale: boolean
}

/** The context of one side. */
export function useSide(
  thread: ThreadPlace,
  side: Side,
  asking: { readonly at: number; readonly since?: number },
): MadeSide {
  const { data, error, isPlaceholderData } = useQuery(
    contextQuery(thread, { ...toFit(side), ...asking, messages: false }),
  )
  // What was made stays while the server is away: the line at the foot says so.
  return {
    answer: data,
    error: data && error instanceof AwayError ? null : error,
    isStale: isPlaceholderData,
  }
}

/** What all calls would have read with a side. */
export function useCost(
  thread: ThreadPlace,
  side: Side,
  answer: SideAnswer | undefined,
  since: number,
  isWanted: boolean,
): number | undefined {
  // A window is always named: without any setting, stored calls would be told as they were.
  const fit = { ...toFit(side), window: answer?.window ?? side.window }
  const { data } = useQuery({
    ...costQuery(thread, { ...fit, since }),
    enabled: isWanted && answer !== undefined,
  })
  return data?.anew.reduce((sum, anew) => sum + anew, 0)
}
