export { type FitStepOptions, type FittedStep, fitStep, type ToolSetLike } from './fit-step.ts'
export {
  type MiddlewareOptions,
  type PromptParams,
  type ThroughlineMiddleware,
  throughlineMiddleware,
} from './throughline-middleware.ts'
