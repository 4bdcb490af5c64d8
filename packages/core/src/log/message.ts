/** The speaker. `assistant_note` is a note of an agent to itself: sent to the model, never shown to a user. */
export const roles = ['system', 'user', 'assistant', 'tool', 'assistant_note'] as const
/** Who says a message. `developer` is read as `system`, and `function` as `tool`. */
export type Role = (typeof roles)[number]

/** A message of Ollama, OpenAI or the AI SDK. Only the role is fixed; callers keep their own type. */
export interface MessageLike {
  /** Who says it: `user`, `assistant`, `system`, `tool`, or a provider's own name for one. */
  readonly role: string
  /** A text, or a list of parts in the provider's form. */
  readonly content?: unknown
  /** The client's own id of the message. */
  readonly id?: unknown
  /** Ollama's images, as base64. */
  readonly images?: unknown
  /** The name of the tool, or of the speaker. */
  readonly name?: unknown
  /** Ollama's field for the model's thinking. */
  readonly thinking?: unknown
  /** When it was said: `Message.time` has it in milliseconds. */
  readonly time?: unknown
  /** OpenAI's field: the call that this result answers. */
  readonly tool_call_id?: unknown
  /** The calls of an assistant message, of Ollama and of OpenAI. */
  readonly tool_calls?: unknown
  /** Ollama's field: the tool that gave this result. */
  readonly tool_name?: unknown
}

/** The provider whose shape a message has: changed and inserted messages must have the same. */
export type MessageDialect = 'ollama' | 'openai' | 'ai-sdk'

/** A tool call as the library reads it. */
export interface ToolCall {
  /** Absent in Ollama's older messages: calls and results are then matched by name and order. */
  readonly id?: string
  /** The name of the tool as the model wrote it. */
  readonly name: string
  /** The arguments as JSON text, whatever form the provider uses. */
  readonly arguments: string
}

/** A tool's result as the library reads it. */
export interface ToolResult {
  /** The id of the call. Absent in Ollama's older messages. */
  readonly callId?: string
  /** The name of the tool, where the message says it. */
  readonly name?: string
  /** What the model reads: data as JSON. */
  readonly text: string
}

/** A message as the library reads it, the same for every provider. All folders above this one work on it. */
export interface Message {
  /** Who says it. */
  readonly role: Role
  /** Whose form the message has: it is sent in the same one. */
  readonly dialect: MessageDialect
  /** The text that the model sees; in a tool message, the text of its results. */
  readonly text: string
  /** The model's thinking, where the message has it; else an empty text. */
  readonly thinking: string
  /** The tool calls of an assistant message, in order. */
  readonly calls: readonly ToolCall[]
  /** Number of tool calls in a message of a role that cannot call. They are not sent. */
  readonly misplacedCalls?: number
  /** The results of a tool message, in order. */
  readonly results: readonly ToolResult[]
  /** Number of images and other files. Each has a fixed price; their bytes are never counted as text. */
  readonly media: number
  /** Parts of an unknown kind, as JSON: they are sent, so they are counted. */
  readonly unknown: string
  /** Milliseconds since 1970 where the message carries a time. */
  readonly time?: number
}

/** What is read of `{ role, content: text }`: a message that the library adds needs no reading. */
export const textMessage = (role: Exclude<Role, 'tool'>, text: string): Message => ({
  role,
  dialect: 'ollama',
  text,
  thinking: '',
  calls: [],
  results: [],
  media: 0,
  unknown: '',
})
