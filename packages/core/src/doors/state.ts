// State in results of tools: defined, read and kept.
export {
  defineState,
  type InferOutput,
  type StandardSchema,
  type State,
} from '../state/define-state.ts'
export { placedFromEnd, type RoundResult, roundsFromEnd } from '../state/read-round.ts'
export {
  hasResultSince,
  readRounds,
  readState,
  type SkippedResult,
  type StateReading,
} from '../state/read-state.ts'
export { otherProject, type ReadStateOptions } from '../state/take-result.ts'
