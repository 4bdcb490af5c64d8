import type { Environment, VariableType } from './environment.ts'
import type { ExperimentEnd } from './experiment-event.ts'
import { type MetGoal, type Snapshot, stepsOf } from './log/experiment-log.ts'
import {
  type DatedState,
  type ExperimentThreads,
  foldStep,
  readState,
} from './log/experiment-threads.ts'
import type { GoalTest, PlanJson } from './plan/plan-json.ts'

/** INTERRUPTED: the process is gone, and the experiment can be resumed. */
export type ExperimentStatus = ExperimentEnd | 'RUNNING' | 'PAUSED' | 'INTERRUPTED'

/** An experiment as lists show it. Times are in milliseconds since 1970. */
export interface ExperimentSummary {
  /** Its name in the history. */
  readonly id: string
  /** The name of its plan. */
  readonly name: string
  /** Where it stands: see `ExperimentStatus`. */
  readonly status: ExperimentStatus
  /** Why the experiment ended; absent before. */
  readonly result?: string
  /** How many steps have ended, of how many at most. */
  readonly steps: number
  /** After this many steps it fails. */
  readonly maxSteps: number
  /** When it was begun, and when its last step ended or it was last paused, resumed or ended. */
  readonly startedAt: number
  /** When its last step ended, or it was last paused, resumed or ended. */
  readonly updatedAt: number
  /** Whether its plan came as JSON, so that it is stored and can be run again. */
  readonly hasPlan: boolean
}

/** Where an experiment stands, and how it came there. */
export interface ExperimentView extends ExperimentSummary {
  /** The names of the roles, in the order in which they act. */
  readonly roles: readonly string[]
  /** The types of the variables. */
  readonly variables: Readonly<Record<string, VariableType>>
  /** The current environment, also in the middle of a step. */
  readonly environment: Environment
  /** Which goals held after the last step. */
  readonly goals: readonly GoalTest[]
  /** The environment before the first step, and after each. */
  readonly snapshots: readonly Snapshot[]
  /** The plan, if it came as JSON. */
  readonly plan?: PlanJson
}

export async function summarize({ id, mainThread }: ExperimentThreads, state: DatedState) {
  const { created, ended, isPaused, startedAt, updatedAt } = state
  const { name, maxSteps, plan } = created
  const status = async () =>
    (await mainThread.status()).state === 'open' ? 'RUNNING' : 'INTERRUPTED'
  const summary: ExperimentSummary = {
    ...{
      id,
      name,
      status: ended?.status ?? (isPaused ? 'PAUSED' : await status()),
      result: ended?.result,
    },
    ...{ steps: stepsOf(state), maxSteps, startedAt, updatedAt, hasPlan: plan !== undefined },
  }
  return summary
}

export async function showExperiment(threads: ExperimentThreads): Promise<ExperimentView> {
  const state = await readState(threads)
  const { created, goal, snapshots, ended } = state
  const { roles, variables, goals, plan } = created
  return {
    ...(await summarize(threads, state)),
    ...{ roles, variables },
    environment: ended?.environment ?? (await foldStep(threads, state)),
    goals: goals.map((one, at) => ({ ...one, isMet: at === placeOf(goals, goal) })),
    ...{ snapshots, plan },
  }
}

/** Finds the goal that was met. Goals may share a description; a resumed plan may have them at other places. */
function placeOf(goals: readonly MetGoal[], met: MetGoal | undefined): number {
  const { description, place = -1 } = met ?? {}
  return goals[place]?.description === description
    ? place
    : goals.findIndex(goal => goal.description === description)
}
