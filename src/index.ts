export { ContextOverflowError } from './context/compose/finish.ts'
export type { Context, FitOptions } from './context/context.ts'
export type { Entry } from './context/conversation/stamp-entry.ts'
export type { Unit, UnitKind } from './context/conversation/unit.ts'
export { createFitter, type Fitter, type FitterOptions } from './context/create-fitter.ts'
export { type Digest, type Draft, type Policy, pipe, type Spare } from './context/draft/draft.ts'
export type { Frame } from './context/draft/frame.ts'
export type { Insertion, Span } from './context/draft/span.ts'
export { type DumpData, type DumpEntry, dump, toDump } from './context/dump.ts'
export { explain } from './context/explain.ts'
export { fit } from './context/fit.ts'
export { artifact } from './context/policies/artifact.ts'
export {
  balanced,
  defaultPolicy,
  type RecallOptions,
  recall,
  thorough,
  thrifty,
} from './context/policies/recall.ts'
export { sliding } from './context/policies/sliding.ts'
export { spongebob } from './context/policies/spongebob.ts'
export { type StableOptions, stable } from './context/policies/stable.ts'
export { tiered } from './context/policies/tiered.ts'
export type { PromptLayout } from './context/prompt/layout.ts'
export type {
  ChangingLines,
  Fate,
  Part,
  Receipt,
  ReceiptCut,
  ReceiptEntry,
  ReceiptFault,
  ReceiptStretch,
  SentMessage,
  SharedPrefix,
} from './context/receipt.ts'
export { why } from './context/why/why.ts'
export type { Why } from './context/why/why-conversation.ts'
export type { AskedText, WhyRecall } from './context/why/why-recall.ts'
export {
  type Begun,
  type CallInfo,
  type CallOutcome,
  type CallStart,
  createHistory,
  type DisplayMessage,
  EmbedError,
  type EmbedOptions,
  type ExportError,
  type Found,
  type History,
  type HistoryOptions,
  type Imported,
  type ImportOptions,
  type ImportStoppedError,
  type InvalidImportError,
  type LoggedMessage,
  type Recent,
  type RecentOptions,
  type Retained,
  type RetainOptions,
  type SearchOptions,
  type SeenMessage,
  type StartedCall,
  type Thread,
  type ThreadCall,
  type ThreadContextOptions,
  type ThreadStatus,
  type Turn,
  type ViewOptions,
} from './history/index.ts'
export { InvalidMessageError, InvalidOptionError, ThroughlineError } from './log/error.ts'
export type { Message, MessageLike, Role, ToolCall, ToolResult } from './log/message.ts'
export { parseMessage } from './log/parse-message.ts'
export { toDisplay } from './notes/index.ts'
export {
  createStateReader,
  defineState,
  type InferOutput,
  type ReadStateOptions,
  readState,
  type SkippedResult,
  type SkipReason,
  type StandardSchema,
  type State,
  type StateEntry,
  type StateReader,
  type StateReading,
} from './state/index.ts'
export { type MemoryStoreOptions, memoryStore } from './stores/memory/memory-store.ts'
export type { Store } from './stores/store.ts'
export type { TokenCounter } from './tokens/create-counter.ts'
