export { type AiSdkOptions, aiSdk } from '../../models/ai-sdk/ai-sdk.ts'
export type { AiSdkModel } from '../../models/ai-sdk/ai-sdk-model.ts'
export { type FitStepOptions, type FittedStep, fitStep } from './fit-step.ts'
export {
  type MiddlewareOptions,
  type PromptParams,
  type ThroughlineMiddleware,
  throughlineMiddleware,
} from './throughline-middleware.ts'
export type { ToolSetLike } from './tool-schemas.ts'
