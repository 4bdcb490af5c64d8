/** Who speaks. `assistant_note` is what an agent leaves for itself: sent to the model, never shown to a user. */
export type Role = 'system' | 'user' | 'assistant' | 'tool' | 'assistant_note'

/** A message of Ollama, OpenAI or the AI SDK: a role, and what else they put into one. Callers keep their own type. */
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

/** Whose shape a message has: it decides how a changed or an inserted message must look. */
export type Dialect = 'ollama' | 'openai' | 'ai-sdk'

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

/** What was read from a message, the same for every provider. Everything above this floor works on it. */
export interface Message {
  readonly role: Role
  readonly dialect: Dialect
  /** The text as the model sees it; of a tool message, the text of its results. */
  readonly text: string
  readonly thinking: string
  readonly calls: readonly ToolCall[]
  /** How many calls stand in a message of a role that cannot call: they are none, and are not sent. */
  readonly misplacedCalls?: number
  readonly results: readonly ToolResult[]
  /** Images and other files: each has a fixed price, its bytes are never counted as text. */
  readonly media: number
  /** Parts of a kind that we do not know, as JSON: they are sent, so they are counted. */
  readonly unknown: string
  /** Milliseconds since 1970 where the message carries a time. */
  readonly time?: number
}
