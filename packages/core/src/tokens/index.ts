export {
  type Calibration,
  calibrate,
  calibrated,
  looksTruncated,
  type Usage,
} from './calibration.ts'
export type { CounterOptions, CreateCounterOptions, TokenCounter } from './create-counter.ts'
export { createCounter } from './create-counter.ts'
export { estimate, estimateTokens } from './estimate.ts'
export type { Framing } from './framing.ts'
export { framingFor, framings } from './framings.ts'
