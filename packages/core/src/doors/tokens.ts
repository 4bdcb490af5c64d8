// Windows, rooms and factors: tokens as a model counts them.
export {
  type Calibration,
  inCounts,
  isCalibration,
  isFactor,
  partsInModel,
  type Room,
  toModelTokens,
} from '../tokens/calibration.ts'
export {
  isUnknownWindow,
  shownWindow,
  unknownWindow,
  unknownWindowWords,
} from '../tokens/unknown-window.ts'
