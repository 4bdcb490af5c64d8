/** Small messages for tests, in Ollama's shape. */
export interface TestMessage {
  /** Who says it. */
  role: string
  /** The text. */
  content: string
  /** The calls, with their arguments as objects. */
  tool_calls?: { id?: string; function: { name: string; arguments: Record<string, unknown> } }[]
  /** Of a result: the tool. */
  tool_name?: string
  /** Of a result: the call that it answers. Absent: matched by name and order. */
  tool_call_id?: string
  /** Images in base64. */
  images?: string[]
}

/** A system message. */
export const system = (content: string): TestMessage => ({ role: 'system', content })
/** A user message. */
export const user = (content: string): TestMessage => ({ role: 'user', content })
/** A reply of the model. */
export const assistant = (content: string): TestMessage => ({ role: 'assistant', content })
/** A note of the model to itself. */
export const note = (content: string): TestMessage => ({ role: 'assistant_note', content })

/** An assistant message that calls tools: `calls('read_file', 'list')`. */
export const calls = (...names: string[]): TestMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map(name => ({ function: { name, arguments: {} } })),
})

/** The result of a call of the tool `name`. */
export const result = (name: string, content: string): TestMessage => ({
  role: 'tool',
  tool_name: name,
  content,
})

/** A call of the tool `name` without arguments, and its result. */
export const round = (name: string, content: string): TestMessage[] => [
  calls(name),
  result(name, content),
]
