export { type FitStepOptions, type FittedStep, fitStep, type ToolSetLike } from './fit-step.ts'
export type {
  MiddlewareOptions,
  PromptParams,
  ThroughlineMiddleware,
} from './throughline-middleware.ts'
export { throughlineMiddleware } from './throughline-middleware.ts'
