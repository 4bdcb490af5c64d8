export { type Calibration, calibrate, calibrated, looksTruncated, type Usage } from './calibration.ts'
export {
  type CounterOptions,
  type CreateCounterOptions,
  createCounter,
  type TokenCounter,
} from './create-counter.ts'
export { estimate, estimateTokens } from './estimate.ts'
export type { Framing } from './framing.ts'
export { framingFor, framings } from './framings.ts'
