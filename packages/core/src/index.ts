export { ContextOverflowError } from './context/compose/finish.ts'
export { createFitter, type Fitter, type FitterOptions } from './context/create-fitter.ts'
export type { Policy } from './context/draft/draft.ts'
export { type Context, type FitOptions, fit } from './context/fit.ts'
export { artifact } from './context/policies/artifact.ts'
export type { RecallOptions } from './context/policies/recall.ts'
export { balanced, defaultPolicy, recall, thorough, thrifty } from './context/policies/recall.ts'
export { sliding } from './context/policies/sliding.ts'
export { spongebob } from './context/policies/spongebob.ts'
export { type StableOptions, stable } from './context/policies/stable.ts'
export { tiered } from './context/policies/tiered.ts'
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
export { InvalidMessageError, InvalidOptionError, ThroughlineError } from './log/error.ts'
export type { Message, MessageLike, Role, ToolCall, ToolResult } from './log/message.ts'
export { parseMessage } from './log/parse-message.ts'
export type { TokenCounter } from './tokens/create-counter.ts'
