import Anthropic from '@anthropic-ai/sdk'
import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import { startServer } from '@throughline/test-tools/start-server'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { anthropicUpstream } from '../../src/upstream/model-servers.ts'
import { chatPair } from './chat-pair.ts'
import { messagesPair } from './messages-pair.ts'
import { ollamaPair } from './ollama-pair.ts'
import { startPair, written } from './pair.ts'
import { responsesPair } from './responses-pair.ts'

describe('an upstream that answers otherwise than it was asked', () => {
  it('by one body to a request for a stream: it is a whole reply, and the client gets a stream', async () => {
    for (const pair of [chatPair, messagesPair, responsesPair, ollamaPair]) {
      const { ask, served } = await startPair(pair, { status: 200, body: JSON.parse(pair.whole) })
      const response = await ask(written(pair.body, true))
      const said = await response.text()
      expect([pair.name, response.status]).toEqual([pair.name, 200])
      expect(response.headers.get('content-type')).toContain(
        pair === ollamaPair ? 'ndjson' : 'event-stream',
      )
      expect(said).toContain(pair.said.whole)
      expect(served[0]!.answered!.result).toMatchObject({
        status: 'completed',
        text: pair.said.whole,
      })
    }
  })

  it('by a stream to a request for one body: the client gets one body', async () => {
    for (const pair of [chatPair, messagesPair, responsesPair, ollamaPair]) {
      const { ask } = await startPair(pair)
      const response = await ask(written(pair.body, false))
      expect(JSON.stringify(await response.json())).toContain(pair.said.stream)
    }
  })

  it('without [DONE], and without usage, after a finish reason: nothing has failed', async () => {
    const chunks = chatPair.stream.chunks.slice(0, 7)
    const { url, served, ask } = await startPair(chatPair, { ...chatPair.stream, chunks })
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'k' })
    const stream = client.chat.completions.stream({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
    })
    expect((await stream.finalChatCompletion()).choices[0]!.message.content).toBe(
      'A tree stands there.',
    )
    expect(await (await ask(written(chatPair.body, true))).text()).toBe(chunks.join(''))
    expect(served.map(({ answered }) => answered!.result.status)).toEqual(['open', 'open'])
  })

  it('by breaking off: the client is told, and the end that came is not', async () => {
    for (const pair of [chatPair, messagesPair, responsesPair, ollamaPair]) {
      const chunks = pair.stream.chunks.slice(0, 4)
      const { ask, served } = await startPair(pair, { ...pair.stream, chunks })
      const said = await (await ask(written(pair.body, true))).text()
      expect(said.startsWith(chunks.join(''))).toBe(true)
      expect(said.slice(chunks.join('').length)).toMatch(/error|failed/)
      expect(served[0]!.answered!.result.error!.code).toBe('model_stream_broken')
    }
  })
})

it('a server with notes shows none of them, and Claude still gets its own signatures', async () => {
  const signed = { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' }
  const use = { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }
  let count = 0
  const scripted = await upstreamWith(({ path }) => {
    if (!path.startsWith('/v1/messages')) return { status: 404, body: {} }
    count += 1
    return count === 1
      ? anthropicAnswer(
          [signed, { type: 'text', text: 'I look. [NOTE TO SELF: the zebra is hidden]' }, use],
          { stop: 'tool_use' },
        )
      : anthropicAnswer([{ type: 'text', text: 'A tree.' }])
  })
  const upstream = anthropicUpstream({ url: scripted.url, cacheMarks: false })
  const { url } = await startServer({ upstream, notes: true })
  const client = new Anthropic({ baseURL: url, apiKey: 'k', maxRetries: 0 })
  const common = {
    model: 'm',
    max_tokens: 3000,
    system: [
      { type: 'text' as const, text: 'Be kind.', cache_control: { type: 'ephemeral' as const } },
    ],
    tools: [{ name: 'look', input_schema: { type: 'object' as const } }],
  }
  const question = { role: 'user' as const, content: 'What is there?' }
  const first = await client.messages.stream({ ...common, messages: [question] }).finalMessage()
  expect(JSON.stringify(first)).not.toContain('zebra')
  expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use'])
  const result = {
    role: 'user' as const,
    content: [{ type: 'tool_result' as const, tool_use_id: 'toolu_1', content: 'leaf' }],
  }
  await client.messages
    .stream({
      ...common,
      messages: [question, { role: 'assistant', content: first.content }, result],
    })
    .finalMessage()
  const [one, two] = scripted.requests
    .filter(({ path }) => path === '/v1/messages')
    .map(({ body }) => body as typeof common & { messages: { content: unknown }[] })
  expect(one!.system[0]).toEqual(common.system[0])
  expect(one!.system).toHaveLength(2)
  expect(two!.messages[1]!.content).toEqual([
    signed,
    expect.objectContaining({ type: 'text' }),
    use,
  ])
  expect(two!.messages[2]).toEqual(result)
})
