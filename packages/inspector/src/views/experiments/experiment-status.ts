import { groupBy } from '@throughline/core/values'
import type { ExperimentSummary } from '../../api/experiment-queries.ts'
import { amountOf, count } from '../../parts/format.ts'
import type { MarkName } from '../../parts/status-mark.tsx'

type ExperimentStatus = ExperimentSummary['status']

export const markOf: Readonly<Record<ExperimentStatus, MarkName>> = {
  RUNNING: 'running',
  PAUSED: 'paused',
  INTERRUPTED: 'interrupted',
  COMPLETED: 'done',
  FAILED: 'failed',
  STOPPED: 'stopped',
}

/** `Running` */
export const wordOf = (status: ExperimentStatus): string =>
  status[0] + status.slice(1).toLowerCase()

/** How an experiment stands, in a few words: `Running, step 12 of at most 30`. */
export function sentenceOf({ status, steps, maxSteps }: ExperimentSummary): string {
  const word = wordOf(status)
  if (status === 'RUNNING')
    return `${word}, step ${count(Math.min(steps + 1, maxSteps))} of at most ${count(maxSteps)}`
  return `${word} after ${amountOf(steps, 'step')}${status === 'PAUSED' ? ` of at most ${count(maxSteps)}` : ''}`
}

export const stepsOf = ({ steps, maxSteps }: ExperimentSummary): string =>
  `${count(steps)} of ${amountOf(maxSteps, 'step')}`

/** What a list says of an experiment beside its name. */
export function noteOf({ status, result }: ExperimentSummary): string {
  if (status === 'RUNNING') return 'running now'
  if (status === 'PAUSED') return 'paused'
  if (status === 'INTERRUPTED') return 'its process is gone'
  return result ?? wordOf(status)
}

export const newestFirst = (
  experiments: readonly ExperimentSummary[],
): readonly ExperimentSummary[] => experiments.toSorted((a, b) => b.startedAt - a.startedAt)

/** Experiments by the name of their plan, the newest first. */
export const byPlan = (experiments: readonly ExperimentSummary[]) => [
  ...groupBy(newestFirst(experiments), ({ name }) => name),
]
