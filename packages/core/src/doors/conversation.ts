// A conversation in memory: its units, what is listed of them, and the checkpoints that bring it back.
export {
  EntryNeeded,
  emptyEntries,
  fillEntry,
  isAbsent,
} from '../context/checkpoint/absent-entry.ts'
export {
  checkpointVersion,
  packCheckpoint,
  restoreTranscript,
  unitsPerCheckpoint,
  unusable,
} from '../context/checkpoint/checkpoint.ts'
export {
  type Conversation,
  createConversation,
  firstSeq,
} from '../context/conversation/conversation.ts'
export { keepLatest } from '../context/conversation/remember.ts'
export {
  countUnit,
  createTranscript,
  emptyLists,
  listUnit,
  type Meaning,
  type Quote,
  type Quotes,
  type Scores,
  type Transcript,
} from '../context/conversation/transcript.ts'
export {
  isOrdinary,
  type Stray,
  saidIn,
  savingOf,
  type Unit,
  type UnitKind,
} from '../context/conversation/unit.ts'
export { copyRulePlaces } from '../context/standing/rule-places.ts'
export { createReader, createWriter, isSealedAs, seal, unseal } from '../log/pack-bytes.ts'
