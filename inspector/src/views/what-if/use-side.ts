import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { AwayError } from '../../api/api-error.ts'
import { costQuery } from '../../api/comparison.ts'
import { contextQuery, type ThreadAddress } from '../../api/queries.ts'
import type { AnswerOf } from '../../api/routes.ts'
import { type Landing, newLanding } from '../../parts/draw-strip.ts'
import { toSentMessages } from '../../parts/sent-rows.ts'
import { useSettled } from '../../parts/use-settled.ts'
import { fatesOf, runsOf, type SideContext } from './difference.ts'
import { named, type Side, toFit } from './side.ts'

export type SideAnswer = AnswerOf<'get /conversations/:conversation/context'>

/** The settings of one side, and the context that they make. */
export interface MadeSide {
  readonly letter: 'A' | 'B'
  /** As the address has it, and with its window and policy by name. */
  readonly side: Side
  readonly full: Side
  /** The settings that are computed: a dragged slider does not compute every step. */
  readonly settled: Side
  readonly answer: SideAnswer | undefined
  readonly error: Error | null
  /** Whether the shown context belongs to the previous settings. */
  readonly isStale: boolean
  readonly context: SideContext
  readonly landing: Landing
}

interface SideOptions extends Pick<MadeSide, 'letter' | 'side'> {
  readonly at: number
  readonly since: number | undefined
  /** Window and policy are shown as in this answer until the side has its own. */
  readonly like?: SideAnswer | undefined
}

/** The context of one side. */
export function useSide(thread: ThreadAddress, { letter, side, at, since, like }: SideOptions): MadeSide {
  const [landing] = useState(newLanding)
  const settled = useSettled(side, 80)
  const { data, error, isPlaceholderData } = useQuery(
    contextQuery(thread, { ...toFit(settled), at, since, messages: false }),
  )
  const context = useMemo(() => toContext(data), [data])
  return {
    ...{ letter, side, full: named(side, data ?? like), settled, answer: data, context, landing },
    // The last context stays while the server is away: the line at the foot says so.
    error: data && error instanceof AwayError ? null : error,
    isStale: isPlaceholderData,
  }
}

const nothing: SideContext = { messages: [], runs: [], fates: [] }

function toContext(answer: SideAnswer | undefined): SideContext {
  if (!answer) return nothing
  const { sent, stretches, tokens, prefix } = answer
  const runs = runsOf(stretches)
  const messages = toSentMessages(sent, { tokens, reused: prefix?.tokens ?? 0 })
  return { messages, runs, fates: fatesOf(runs) }
}

/** What all calls would have read with a side. */
export function useCost(
  thread: ThreadAddress,
  { settled, answer }: MadeSide,
  since: number,
  isWanted: boolean,
): number | undefined {
  // Always name a window: without any setting the server returns stored calls as they were.
  const fit = { ...toFit(settled), window: answer?.window ?? settled.window }
  const { data } = useQuery({
    ...costQuery(thread, { ...fit, since }),
    enabled: isWanted && answer !== undefined,
  })
  return data?.anew.reduce((sum, anew) => sum + anew, 0)
}
