export type { Experiment, Experiments, StartOptions } from './create-experiments.ts'
export { createExperiments } from './create-experiments.ts'
export type {
  Declaration,
  Declarations,
  Environment,
  EnvironmentOf,
  VariableType,
} from './environment.ts'
export type { ExperimentErrorCode } from './experiment-error.ts'
export { ExperimentError, InvalidPlanError, VariableError } from './experiment-error.ts'
export type {
  ExperimentEnd,
  ExperimentEvent,
  ExperimentResult,
  ToolResultEvent,
} from './experiment-event.ts'
export type { Snapshot, Wish } from './log/experiment-log.ts'
export type { ExperimentsOptions } from './log/experiment-threads.ts'
export {
  defineExperiment,
  type ExperimentOptions,
  type ExperimentPlan,
} from './plan/define-experiment.ts'
export {
  defineExperimentTool,
  type ExperimentTool,
  type ExperimentToolOptions,
  type ExperimentToolRun,
  type ExperimentTools,
  type ToolMaker,
} from './plan/experiment-tool.ts'
export type { Hook, HookCall, HookDecision, HookMessage, HookPoint } from './plan/hook.ts'
export { modelFor, type ParseExperimentOptions, parseExperiment } from './plan/parse-experiment.ts'
export type { Goal, GoalTest, PlanJson, PolicyJson, RoleJson } from './plan/plan-json.ts'
export type { RoleOptions } from './plan/role.ts'
export type { ExperimentStatus, ExperimentSummary, ExperimentView } from './show-experiment.ts'
export type { ExperimentStep, RoleAct, StepRange, ToolUse } from './show-steps.ts'
