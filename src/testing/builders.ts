/** Small messages for tests, in Ollama's shape. */
export interface TestMessage {
  role: string
  content: string
  tool_calls?: { id?: string; function: { name: string; arguments: Record<string, unknown> } }[]
  tool_name?: string
  tool_call_id?: string
  images?: string[]
}

export const system = (content: string): TestMessage => ({ role: 'system', content })
export const user = (content: string): TestMessage => ({ role: 'user', content })
export const assistant = (content: string): TestMessage => ({ role: 'assistant', content })
export const note = (content: string): TestMessage => ({ role: 'assistant_note', content })

/** An assistant message that calls tools: `calls('read_file', 'list')`. */
export const calls = (...names: string[]): TestMessage => ({
  role: 'assistant',
  content: '',
  tool_calls: names.map(name => ({ function: { name, arguments: {} } })),
})

export const result = (name: string, content: string): TestMessage => ({
  role: 'tool',
  tool_name: name,
  content,
})

export const round = (name: string, content: string): TestMessage[] => [calls(name), result(name, content)]
