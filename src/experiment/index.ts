export {
  createExperiments,
  type Experiment,
  type Experiments,
  type StartOptions,
} from './create-experiments.ts'
export type {
  Declaration,
  Declarations,
  Environment,
  EnvironmentOf,
  VariableType,
} from './environment.ts'
export {
  ExperimentError,
  type ExperimentErrorCode,
  InvalidPlanError,
  VariableError,
} from './experiment-error.ts'
export type { ExperimentEnd, ExperimentEvent, ExperimentResult, ToolResultEvent } from './experiment-event.ts'
export type { Snapshot } from './log/experiment-log.ts'
export type { ExperimentsOptions } from './log/experiment-threads.ts'
export type { Wish } from './log/wish.ts'
export { defineExperiment, type ExperimentOptions, type ExperimentPlan } from './plan/define-experiment.ts'
export {
  defineExperimentTool,
  type ExperimentTool,
  type ExperimentToolOptions,
  type ExperimentToolRun,
  type ExperimentTools,
  type ToolMaker,
} from './plan/experiment-tool.ts'
export type { Goal, GoalTest } from './plan/goal.ts'
export type { Hook, HookCall, HookDecision, HookMessage, HookPoint } from './plan/hook.ts'
export { modelFor, type ParseExperimentOptions, parseExperiment } from './plan/parse-experiment.ts'
export type { PlanJson, PolicyJson, RoleJson } from './plan/plan-json.ts'
export type { RoleOptions } from './plan/role.ts'
export type { ExperimentStatus, ExperimentSummary, ExperimentView } from './show-experiment.ts'
export type { ExperimentStep, RoleAct, StepRange, ToolUse } from './show-steps.ts'
