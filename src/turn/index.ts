export { answerOnce, answerTurn, type TurnClient } from './answer-turn.ts'
export type { Asking } from './ask/ask-model.ts'
export { TooManyRoundsError, toError } from './end/end-failed.ts'
export { readResultName } from './log/clip-result.ts'
export { listLog, type ModelMemory } from './log/list-log.ts'
export { threadLog } from './log/thread-log.ts'
export type { TurnLog } from './log/turn-log.ts'
export type { TurnData } from './log/turn-progress.ts'
export {
  createTally,
  type ModelReply,
  type ReplyCall,
  type Tally,
  toMessage,
  toSeen,
} from './model-reply.ts'
export { createOngoing, type Ongoing } from './ongoing.ts'
export { runTurn } from './run-turn.ts'
export { notesInReply, setUpAsking } from './set-up-asking.ts'
export { keepResult } from './tools/keep-result.ts'
export { openRequest } from './tools/open-request.ts'
export { readResultTool } from './tools/read-result-tool.ts'
export { runTool, type ToolOutcome } from './tools/run-tool.ts'
export { runTools } from './tools/run-tools.ts'
export { defineTool, type Tool, type ToolOptions, type ToolRun, toSpec } from './tools/tool.ts'
export type { TurnNotes, TurnOptions } from './turn-options.ts'
export type { Emit, TurnEnd, TurnEndStatus, TurnPart, TurnResult, WarningCode } from './turn-part.ts'
export { type RetryOptions, sleep } from './wait/backoff.ts'
export { linkSignals } from './wait/link-signals.ts'
