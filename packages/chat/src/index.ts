export type { ChatOptions } from './chat-options.ts'
export {
  type Chat,
  type ChatContext,
  type ContextOptions,
  createChat,
  type EditOptions,
  type RegenerateOptions,
  type SendOptions,
} from './create-chat.ts'
export type { Reply } from './reply.ts'
export { TooManyRoundsError } from './turn/end-failed.ts'
export type {
  TurnEndStatus as ChatStatus,
  TurnOutcome as ChatEnd,
  TurnPart as ChatPart,
  TurnResult as ChatResult,
  WarningCode,
} from './turn/reply.ts'
export { defineTool, type Tool, type ToolOptions, type ToolRun } from './turn/tools/tool.ts'
export type { TurnNotes as ChatNotes } from './turn/turn-options.ts'
export {
  createUIChatHandler,
  type UIChatChanges,
  type UIChatHandler,
  type UIChatHandlerOptions,
  type UIChatRequest,
  type UIChatUser,
} from './ui/create-ui-chat-handler.ts'
export type {
  UIMessageStreamOptions,
  UIMessageStreamResponseOptions,
} from './ui/to-ui-message-stream.ts'
export { toUIMessageStream, toUIMessageStreamResponse } from './ui/to-ui-message-stream.ts'
export { toUIMessages, type UIStoredMessage, type UIStoredPart } from './ui/to-ui-messages.ts'
export type {
  UIChunk,
  UIContext,
  UIDataParts,
  UILoadedMessage,
  UIMetadata,
  UIMissed,
  UIWarning,
} from './ui/ui-chunk.ts'
export { withMissed } from './ui/with-missed.ts'
