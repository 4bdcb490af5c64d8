// The words of stored messages, as search and deletion compare them.
export {
  type Occurrence,
  occurrencesOf,
  payloadTexts,
  placesOf,
  textsIn,
  toWanted,
  words,
} from '../words.ts'
