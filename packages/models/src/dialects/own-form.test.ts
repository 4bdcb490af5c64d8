import { expect, it } from 'vitest'
import { messagesAdapter } from './anthropic/index.ts'
import { generateAdapter, ollamaAdapter } from './ollama/index.ts'
import { openaiAdapter } from './openai/index.ts'
import { compactAdapter, responsesAdapter } from './responses/index.ts'

const model = 'm'
const hello = { role: 'user', content: 'Hello!' }
const tooLarge = 2 ** 60
const image = { type: 'image', source: { type: 'file', file_id: 'f' } }
const tools = [{ type: 'of_tomorrow', name: 'look' }]
const input = [{ type: 'of_tomorrow', text: 'Hello!' }]

it.each([
  [openaiAdapter, { messages: [hello], n: 2 }, 'must be 1'],
  [openaiAdapter, { messages: [hello], tools }, 'must be "function"'],
  [openaiAdapter, { messages: [hello], seed: tooLarge }, 'seed'],
  [messagesAdapter, { messages: [{ ...hello, content: [image] }] }, 'uploaded files'],
  [messagesAdapter, { messages: [hello], tools }, 'a kind of tool'],
  [ollamaAdapter, { messages: [hello], options: { seed: tooLarge } }, 'options.seed'],
  [generateAdapter, { prompt: 'Hello!', options: { seed: tooLarge } }, 'options.seed'],
  [responsesAdapter, { input }, 'a kind of item'],
  [responsesAdapter, { input: 'Hello!', tools }, 'a kind of tool'],
  [compactAdapter, { input }, 'a kind of item'],
])(
  'refuses elsewhere what only an upstream of the same form understands: $2',
  (adapter, rest, problem) => {
    const body = { model, ...rest }
    // The parts of a body are remembered as they were read: both orders give the same.
    for (let time = 0; time < 2; time++) {
      expect(() => adapter.read(body, {})).toThrow(problem)
      expect(adapter.read(body, {}, true).model).toBe(model)
    }
  },
)
