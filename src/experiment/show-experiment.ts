import { experimentThread, readState } from './control/take-experiment.ts'
import type { ExperimentEnd } from './experiment-event.ts'
import type { ExperimentsOptions } from './log/active-experiment.ts'
import type { MetGoal } from './log/experiment-entry.ts'
import { type ExperimentState, lastSnapshot, type Snapshot, stepsOf } from './log/experiment-state.ts'
import { foldStep } from './log/step-turns.ts'
import type { GoalTest } from './plan/goal.ts'
import type { PlanJson } from './plan/plan-json.ts'

/** INTERRUPTED: the process is gone, and the experiment can be resumed. */
export type ExperimentStatus = ExperimentEnd | 'RUNNING' | 'PAUSED' | 'INTERRUPTED'

export interface ExperimentSummary {
  readonly id: string
  readonly name: string
  readonly status: ExperimentStatus
  /** Why the experiment ended; absent before. */
  readonly result?: string
  /** How many steps have ended, of how many at most. */
  readonly steps: number
  readonly maxSteps: number
}

export interface ExperimentView extends ExperimentSummary {
  readonly roles: readonly string[]
  /** The current environment, also in the middle of a step. */
  readonly environment: Readonly<Record<string, unknown>>
  /** Which goals held after the last step. */
  readonly goals: readonly GoalTest[]
  /** The environment before the first step, and after each. */
  readonly snapshots: readonly Snapshot[]
  /** The plan, if it came as JSON. */
  readonly plan?: PlanJson
}

export async function summarizeExperiment(
  options: ExperimentsOptions,
  id: string,
): Promise<ExperimentSummary> {
  return toSummary(options, id, await readState(options, id))
}

export async function showExperiment(options: ExperimentsOptions, id: string): Promise<ExperimentView> {
  const state = await readState(options, id)
  const { created, goal, snapshots, ended } = state
  const { roles, goals, plan } = created
  const step = { id, roles, step: stepsOf(state) + 1, environment: lastSnapshot(state) }
  return {
    ...(await toSummary(options, id, state)),
    roles,
    environment: ended?.environment ?? (await foldStep(options, step)),
    goals: goals.map((one, at) => ({ ...one, isMet: at === placeOf(goals, goal) })),
    snapshots,
    ...(plan && { plan }),
  }
}

/** Finds the goal that was met. Goals may share a description; a resumed plan may have them at other places. */
function placeOf(goals: readonly MetGoal[], met: MetGoal | undefined): number {
  const { description, place = -1 } = met ?? {}
  return goals[place]?.description === description
    ? place
    : goals.findIndex(goal => goal.description === description)
}

async function toSummary(
  options: ExperimentsOptions,
  id: string,
  state: ExperimentState,
): Promise<ExperimentSummary> {
  const { created, ended } = state
  return {
    id,
    name: created.name,
    status: await statusOf(options, id, state),
    ...(ended && { result: ended.result }),
    steps: stepsOf(state),
    maxSteps: created.maxSteps,
  }
}

async function statusOf(
  options: ExperimentsOptions,
  id: string,
  state: ExperimentState,
): Promise<ExperimentStatus> {
  if (state.ended) return state.ended.status
  if (state.isPaused) return 'PAUSED'
  return (await experimentThread(options, id).status()).state === 'open' ? 'RUNNING' : 'INTERRUPTED'
}
