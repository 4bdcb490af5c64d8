/** A message of LangChain as far as we read one: an object of one of its classes, or a plain one with a role. */
export interface LangChainMessage {
  readonly content?: unknown
  /** `human`, `ai`, `tool`, `system`, `function`; `generic` has a role of its own. */
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

/** A message that we add. LangChain takes it as it is wherever it takes messages, see `coerceMessageLikeToMessage`. */
export type AddedMessage =
  | { role: 'system' | 'user' | 'assistant'; content: string }
  | { role: 'tool'; content: string; tool_call_id: string; name?: string }
