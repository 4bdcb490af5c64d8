import type { VariableTypes } from '../environment/environment.ts'
import type { Environment } from '../environment/variable.ts'
import type { ExperimentTool } from './experiment-tool.ts'
import type { Goal } from './goal.ts'
import type { AnyHook } from './hook.ts'
import type { PlanJson } from './plan-json.ts'
import type { Role } from './role.ts'

/** A checked plan, ready to be run. Made by `defineExperiment` and `parseExperiment`. */
export interface ExperimentPlan {
  readonly name: string
  readonly variables: VariableTypes
  /** The environment before the first step. */
  readonly environment: Environment
  readonly roles: readonly Role[]
  readonly tools: ReadonlyMap<string, ExperimentTool>
  readonly goals: readonly Goal[]
  readonly hooks: readonly AnyHook[]
  readonly maxSteps: number
  readonly maxStepRetries: number
  /** The JSON of a plan that was read by `parseExperiment`: stored, so that the experiment can be resumed without the file. */
  readonly json?: PlanJson
}
