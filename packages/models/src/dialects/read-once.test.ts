import { expect, it } from 'vitest'
import { messagesAdapter } from './anthropic/index.ts'
import { openaiAdapter } from './openai/index.ts'

const call = {
  role: 'assistant',
  content: [{ type: 'tool_use', id: 'c1', name: 'look', input: {} }],
}
const result = {
  role: 'user',
  content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'seen' }],
}
const bodyOf = (messages: readonly object[]) => ({ model: 'm', messages })
const read = (messages: readonly object[]) => messagesAdapter.read(bodyOf(messages), {}).messages

it('reads an entry and the tools once, as long as they are the same objects', () => {
  const again = read([call, result, { role: 'user', content: 'And now?' }])
  for (const [at, message] of read([call, result]).entries()) expect(again[at]).toBe(message)
  const tools = [{ type: 'function', function: { name: 'look', parameters: {} } }]
  const body = { ...bodyOf([{ role: 'user', content: 'Hello!' }]), tools }
  expect(openaiAdapter.read(body, {}).tools).toBe(openaiAdapter.read({ ...body }, {}).tools)
})

it('reads an entry again where it says something else behind other entries', () => {
  const other = { role: 'assistant', content: [{ ...call.content[0], name: 'listen' }] }
  expect(read([call, result])[1]).toMatchObject({ role: 'tool', tool_name: 'look' })
  expect(read([other, result])[1]).toMatchObject({ role: 'tool', tool_name: 'listen' })
  expect(read([result])[0]).not.toHaveProperty('tool_name')
})
