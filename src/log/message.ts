/** The speaker. `assistant_note` is a note of an agent to itself: sent to the model, never shown to a user. */
export const roles = ['system', 'user', 'assistant', 'tool', 'assistant_note'] as const
export type Role = (typeof roles)[number]

/** A message of Ollama, OpenAI or the AI SDK. Only the role is fixed; callers keep their own type. */
export interface MessageLike {
  readonly role: string
  readonly content?: unknown
  readonly id?: unknown
  readonly images?: unknown
  readonly name?: unknown
  readonly thinking?: unknown
  readonly time?: unknown
  readonly tool_call_id?: unknown
  readonly tool_calls?: unknown
  readonly tool_name?: unknown
}

/** The provider whose shape a message has: changed and inserted messages must have the same. */
export type MessageDialect = 'ollama' | 'openai' | 'ai-sdk'

export interface ToolCall {
  /** Absent in Ollama's older messages: calls and results are then matched by name and order. */
  readonly id?: string
  readonly name: string
  /** The arguments as JSON text, whatever form the provider uses. */
  readonly arguments: string
}

export interface ToolResult {
  readonly callId?: string
  readonly name?: string
  readonly text: string
}

/** A message as the library reads it, the same for every provider. All folders above this one work on it. */
export interface Message {
  readonly role: Role
  readonly dialect: MessageDialect
  /** The text that the model sees; in a tool message, the text of its results. */
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ToolCall[]
  /** Number of tool calls in a message of a role that cannot call. They are not sent. */
  readonly misplacedCalls?: number
  readonly results: readonly ToolResult[]
  /** Number of images and other files. Each has a fixed price; their bytes are never counted as text. */
  readonly media: number
  /** Parts of an unknown kind, as JSON: they are sent, so they are counted. */
  readonly unknown: string
  /** Milliseconds since 1970 where the message carries a time. */
  readonly time?: number
}
