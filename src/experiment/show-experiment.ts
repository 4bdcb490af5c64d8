import type { Environment } from './environment.ts'
import type { ExperimentEnd } from './experiment-event.ts'
import { type ExperimentState, type MetGoal, type Snapshot, stepsOf } from './log/experiment-log.ts'
import { type ExperimentThreads, foldStep, readState } from './log/experiment-threads.ts'
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
  readonly environment: Environment
  /** Which goals held after the last step. */
  readonly goals: readonly GoalTest[]
  /** The environment before the first step, and after each. */
  readonly snapshots: readonly Snapshot[]
  /** The plan, if it came as JSON. */
  readonly plan?: PlanJson
}

export async function summarizeExperiment(
  { id, own }: ExperimentThreads,
  state: ExperimentState,
): Promise<ExperimentSummary> {
  const { created, ended, isPaused } = state
  const status = async () => ((await own.status()).state === 'open' ? 'RUNNING' : 'INTERRUPTED')
  return {
    id,
    name: created.name,
    status: ended?.status ?? (isPaused ? 'PAUSED' : await status()),
    ...(ended && { result: ended.result }),
    steps: stepsOf(state),
    maxSteps: created.maxSteps,
  }
}

export async function showExperiment(threads: ExperimentThreads): Promise<ExperimentView> {
  const state = await readState(threads)
  const { created, goal, snapshots, ended } = state
  const { roles, goals, plan } = created
  return {
    ...(await summarizeExperiment(threads, state)),
    roles,
    environment: ended?.environment ?? (await foldStep(threads, state)),
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
