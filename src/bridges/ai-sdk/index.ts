export { type FitStepOptions, type FittedStep, fitStep } from './fit-step.ts'
export {
  type MiddlewareOptions,
  type PromptParams,
  type ThroughlineMiddleware,
  throughlineMiddleware,
} from './throughline-middleware.ts'
export type { ToolSetLike } from './tool-schemas.ts'
