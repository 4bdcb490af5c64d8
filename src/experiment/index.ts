export { type RulesAnswer, type RulesOptions, type RulesRequest, rules } from '../models/rules.ts'
export type { Wish } from './control.ts'
export {
  createExperiments,
  type Experiments,
  type ExperimentsOptions,
  type StartOptions,
} from './create-experiments.ts'
export { defineExperiment, type ExperimentOptions } from './define-experiment.ts'
export {
  ExperimentError,
  type ExperimentErrorCode,
  InvalidPlanError,
  VariableError,
} from './experiment-error.ts'
export type { ExperimentEnd, ExperimentEvent, ExperimentResult, ToolResultEvent } from './experiment-event.ts'
export type { ExperimentRun } from './experiment-run.ts'
export {
  defineExperimentTool,
  type ExperimentTool,
  type ExperimentToolOptions,
  type ExperimentToolRun,
  type ExperimentTools,
  type ToolMaker,
} from './experiment-tool.ts'
export type { Goal, GoalTest } from './goal.ts'
export type { Hook, HookCall, HookDecision, HookPoint } from './hook.ts'
export { modelFor } from './model-for.ts'
export { type ParseExperimentOptions, parseExperiment } from './parse-experiment.ts'
export type { ExperimentPlan } from './plan.ts'
export type { PlanJson, PolicyJson, RoleJson } from './plan-json.ts'
export type { RoleOptions } from './role.ts'
export type { RunOptions } from './run.ts'
export type { Snapshot } from './run-state.ts'
export type { ExperimentStatus, ExperimentSummary, ExperimentView } from './show-experiment.ts'
export type { Declaration, Declarations, Environment, EnvironmentOf, VariableType } from './variable.ts'
