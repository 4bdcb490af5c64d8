import Anthropic from '@anthropic-ai/sdk'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { startServer } from './start-server.ts'

const facts = ['The boat is called Seagull.', 'My cat weighs four kilos.', 'The key is under the blue pot.']
const filler = (turn: number) =>
  `Note ${turn}: we also talked about the weather, the garden, the neighbours and number ${turn}, at some length, as people do.`

it('answers openai’s client over 60 turns in one conversation, and still knows turn 1', async () => {
  const { url, history, served } = await startServer()
  const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'none' })
  const messages: OpenAI.ChatCompletionMessageParam[] = []
  for (let turn = 1; turn <= 60; turn++) {
    messages.push({ role: 'user', content: turn === 1 ? facts[0]! : filler(turn) })
    const { choices } = await client.chat.completions.create({ model: 'reader', messages })
    messages.push({ role: 'assistant', content: choices[0]!.message.content })
  }
  messages.push({ role: 'user', content: 'What is the boat called?' })
  const stream = await client.chat.completions.create({ model: 'reader', messages, stream: true })
  let text = ''
  for await (const { choices } of stream) text += choices[0]?.delta.content ?? ''
  expect(text).toContain('Seagull')
  const [conversation, ...others] = await history.conversations()
  expect(others).toEqual([])
  expect(conversation!.threads).toEqual([{ actor: 'assistant', branch: 'main', head: 122 }])
  expect(served.map(({ place }) => place?.kind)).toEqual(['new', ...Array(60).fill('extends')])
})

it('answers ollama’s client', async () => {
  const { url, history } = await startServer()
  const client = new Ollama({ host: url })
  const messages = [{ role: 'user', content: facts[2]! }]
  const { message } = await client.chat({ model: 'reader', messages })
  messages.push(message, { role: 'user', content: 'Where is the key?' })
  let text = ''
  for await (const part of await client.chat({ model: 'reader', messages, stream: true }))
    text += part.message.content
  expect(text).toContain('blue pot')
  expect(await history.conversations()).toHaveLength(1)
})

it('answers Anthropic’s client', async () => {
  const { url, history } = await startServer()
  const client = new Anthropic({ baseURL: url, apiKey: 'none' })
  const messages: Anthropic.MessageParam[] = [{ role: 'user', content: facts[1]! }]
  const { content } = await client.messages.create({ model: 'reader', max_tokens: 200, messages })
  messages.push(
    { role: 'assistant', content },
    { role: 'user', content: 'How many kilos does my cat weigh?' },
  )
  const stream = client.messages.stream({ model: 'reader', max_tokens: 200, messages })
  expect(await stream.finalText()).toContain('four kilos')
  expect(await history.conversations()).toHaveLength(1)
})
