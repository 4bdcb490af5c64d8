export {
  defineTool,
  type Tool,
  type ToolOptions,
  type ToolRun,
  TooManyRoundsError,
  type TurnEndStatus as ChatStatus,
  type TurnNotes as ChatNotes,
  type TurnOutcome as ChatEnd,
  type TurnPart as ChatPart,
  type TurnResult as ChatResult,
  type WarningCode,
} from '../turn/index.ts'
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
export {
  createUIChatHandler,
  type UIChatChanges,
  type UIChatHandler,
  type UIChatHandlerOptions,
  type UIChatRequest,
  type UIChatUser,
} from './ui/create-ui-chat-handler.ts'
export {
  toUIMessageStream,
  toUIMessageStreamResponse,
  type UIMessageStreamOptions,
  type UIMessageStreamResponseOptions,
} from './ui/to-ui-message-stream.ts'
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
