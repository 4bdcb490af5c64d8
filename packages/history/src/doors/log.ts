// Reads the log of a thread: its messages, endings, changes and branches, and the names of hidden conversations.
export { type CancelledTurn, closingFor, closingOf, type Ending } from '../log/closing.ts'
export { isHandEntry } from '../log/hand-entry.ts'
export { isOfClient, linesOf } from '../log/lines.ts'
export {
  asSeen,
  isSeen,
  type LoggedMessage,
  normalizeText,
  type SeenMessage,
  viewOf,
} from '../log/logged-message.ts'
export {
  type Absence,
  type Overlay,
  type OverlayState,
  overlayBetween,
  type Version,
} from '../log/overlay.ts'
export { createQueue } from '../log/queue.ts'
export {
  checkPlace,
  idAt,
  type LogSource,
  listLog,
  mainBranch,
  readLog,
  threadId,
} from '../log/read-log.ts'
export { breathe, createRests, eachResting, withRests } from '../log/rests.ts'
export type { ThreadCopy } from '../log/thread-copy.ts'
export { isExperiment, isExperimentNamed, shownStore } from '../shown-store.ts'
export {
  checkUnreserved,
  experimentActor,
  isReserved,
  isSideName,
  isSideThread,
  reservedName,
  sideName,
  sidePrefix,
} from '../side-name.ts'
