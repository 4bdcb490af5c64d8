import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { AwayError } from '../../api/api-error.ts'
import { costQuery } from '../../api/comparison.ts'
import { contextQuery, type ThreadAddress } from '../../api/queries.ts'
import type { ContextAnswer } from '../../api/timeline.ts'
import { type Landing, newLanding } from '../../parts/draw-strip.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { runsOf, type SideContext } from './difference.ts'
import { named, type Side, toFit } from './side.ts'

/** The settings of one side, and the context that they make. */
export interface MadeSide extends SideContext {
  readonly letter: 'A' | 'B'
  /** As the address has it, and with its window and policy by name. */
  readonly side: Side
  readonly full: Side
  readonly answer: ContextAnswer | undefined
  readonly error: Error | null
  /** Whether the shown context belongs to the previous settings. */
  readonly isStale: boolean
  readonly landing: Landing
  /** The new tokens of the calls from a place on, had they been made like this side; undefined while they are read. */
  readonly cost: number | undefined
}

interface SideOptions extends Pick<MadeSide, 'letter' | 'side'> {
  readonly at: number
  /** The call before, and the call from which costs are summed up. */
  readonly since: number | undefined
  readonly costSince: number
  /** Costs take longest: they are read when all else is there. */
  readonly isCostWanted: boolean
  /** Window and policy are shown as in this answer until the side has its own. */
  readonly like?: ContextAnswer | undefined
}

/** The context of one side. */
export function useSide(thread: ThreadAddress, options: SideOptions): MadeSide {
  const { letter, side, at, since, costSince, isCostWanted, like } = options
  const [landing] = useState(newLanding)
  // A dragged slider does not compute every step.
  const settled = useSettled(side, 80)
  const { data, error, isPlaceholderData } = useQuery(
    contextQuery(thread, { ...toFit(settled), at, since, messages: false }),
  )
  // Always name a window: without any setting the server returns stored calls as they were.
  const window = data?.window ?? settled.window
  const cost = useQuery({
    ...costQuery(thread, { ...toFit(settled), window, since: costSince }),
    enabled: isCostWanted && data !== undefined,
  })
  const context = useMemo(
    () => ({ rows: data?.sent ?? [], runs: data ? runsOf(data.stretches) : [] }),
    [data],
  )
  return {
    ...{ letter, side, full: named(side, data ?? like), answer: data, ...context, landing },
    // The last context stays while the server is away: the line at the foot says so.
    error: data && error instanceof AwayError ? null : error,
    isStale: isPlaceholderData,
    cost: cost.data?.anew.reduce((sum, anew) => sum + anew, 0),
  }
}
