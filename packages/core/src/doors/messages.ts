// Messages and entries: read, checked and written, and our own words in them.
export { adoptEntry, type Entry, stampEntry } from '../context/conversation/stamp-entry.ts'
export { isLayout, learnedIn, type PromptLayout } from '../context/prompt/prompt-layout.ts'
export { errorsIn, markResult } from '../log/errors-in.ts'
export {
  type Message,
  type MessageDialect,
  type MessageLike,
  type Role,
  roles,
  type ToolCall,
  type ToolResult,
} from '../log/message.ts'
export { parseMessage, readMessage, timeOf } from '../log/parse-message.ts'
export { isText, listCalls, outputParts } from '../log/read-content.ts'
export { brokenOff, openRound } from '../log/round.ts'
export {
  acknowledgement,
  actionsTitle,
  artifactTitle,
  changingTitle,
  deletedQuotes,
  endingTexts,
  erasedText,
  findStandIn,
  interruptedResult,
  markerText,
  noReplyText,
  notedResult,
  notesTitle,
  openingText,
  previousActionsTitle,
  quotesTitle,
  readOnHint,
  recallTitle,
  rulesTitle,
} from '../log/texts.ts'
export { type ContentPart, toContent } from '../log/to-content.ts'
export { noteToolName, readMessageName, readResultName } from '../log/tool-names.ts'
export { type PlainMessage, toolResultFor, withTail } from '../log/write-message.ts'
export { neutralizeNotes } from '../notes/neutralize.ts'
export { type Calibration, isCalibration, isFactor } from '../tokens/calibration.ts'
