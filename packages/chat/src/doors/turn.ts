// Turns: asks a model, streams its reply, runs tools and closes the turn.
export { answerTurn, writesNote } from '../turn/answer-turn.ts'
export { type FitRequest, nextContext, nextRoom } from '../turn/ask/next-context.ts'
export { trimmedTokens } from '../turn/ask/trimmed-tokens.ts'
export { type Cancels, createCancels, type WatchedReply } from '../turn/cancels.ts'
export { toError } from '../turn/end-failed.ts'
export { readThread, threadLog } from '../turn/log/thread-log.ts'
export type { TurnData } from '../turn/log/turn-log.ts'
export { createOngoing, type Ongoing } from '../turn/ongoing.ts'
export {
  createTally,
  type Emit,
  type ModelReply,
  type TurnPart,
  type TurnResult,
  toMessage,
  toSeen,
} from '../turn/reply.ts'
export { runTurn } from '../turn/run-turn.ts'
export { notesInContext, notesInReply, setUpAsking } from '../turn/set-up-asking.ts'
export { createTape, type Tape } from '../turn/stream/tape.ts'
export { textWriter, toReadable } from '../turn/stream/to-readable.ts'
export { keepResult, runTool, type ToolOutcome } from '../turn/tools/run-tools.ts'
export {
  defineTool,
  readingTool,
  readMessageSpec,
  type Tool,
  type ToolOptions,
  toolNames,
  toSpec,
} from '../turn/tools/tool.ts'
export type { Asking, TurnOptions } from '../turn/turn-options.ts'
export { linkSignals, onAbort, withLimit } from '../turn/wait/link-signals.ts'
