/** The fields of a LangChain message that are read: an object of its classes, or a plain one with a role. */
export interface LangChainMessage {
  readonly content?: unknown
  /** `human`, `ai`, `tool`, `system`, `function`, or `generic` with a `role`. */
  readonly type?: string
  readonly role?: string
  readonly name?: string | undefined
  readonly tool_call_id?: string
  readonly tool_calls?: readonly LangChainToolCall[] | undefined
}

export interface LangChainToolCall {
  readonly id?: string | undefined
  readonly name: string
  readonly args: unknown
}

/** A message that was added. LangChain takes it wherever it takes messages, see `coerceMessageLikeToMessage`. */
export type AddedMessage =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { role: 'tool'; content: string; tool_call_id: string; name?: string }
