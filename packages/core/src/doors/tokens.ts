// Windows, rooms and factors: tokens as a model counts them.
export { inCounts, partsInModel, type Room, toModelTokens } from '../tokens/room.ts'
export {
  isUnknownWindow,
  shownWindow,
  unknownWindow,
  unknownWindowWords,
} from '../tokens/unknown-window.ts'
