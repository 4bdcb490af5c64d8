import { createHistory } from '@throughline/history'
import { type AnthropicOptions, anthropic } from '@throughline/models/dialects'
import {
  anthropicAnswer,
  anthropicEvents,
  failureOf,
  partsOf,
  upstreamWith,
} from '@throughline/models/fixtures'
import { memoryStore } from '@throughline/stores/memory'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

const hello = [{ role: 'user', content: 'hello' }]

afterEach(() => vi.unstubAllEnvs())

/** Without marks for the cache, which have tests of their own. */
const modelAt = (baseURL: string, options: Partial<AnthropicOptions> = {}) =>
  anthropic({ model: 'claude-test', baseURL, window: 10_000, cacheMarks: false, ...options })

describe('what comes back', () => {
  it('is thoughts, text and calls as they arrive, and an end with all that was read', async () => {
    const upstream = await upstreamWith([
      anthropicAnswer(
        [
          { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
          { type: 'text', text: 'Hello there' },
          { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'tree' } },
        ],
        {
          stop: 'tool_use',
          usage: {
            input_tokens: 7,
            cache_read_input_tokens: 20,
            cache_creation_input_tokens: 3,
            output_tokens: 5,
          },
        },
      ),
    ])
    expect(await partsOf(modelAt(upstream.url).stream({ messages: hello }))).toEqual([
      { type: 'thinking-delta', text: 'h' },
      { type: 'thinking-delta', text: 'm' },
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' there' },
      { type: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"at":"tree"}' },
      {
        type: 'end',
        reason: 'tool-calls',
        usage: { promptTokens: 30, replyTokens: 5, cachedTokens: 20 },
        details: { model: 'claude-test' },
        blocks: {
          form: 'messages',
          list: [
            { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
            { type: 'text', text: 'Hello there' },
            { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'tree' } },
          ],
        },
      },
    ])
  })

  it('is the same from a server that does not stream', async () => {
    const content = [
      { type: 'redacted_thinking', data: 'x' },
      { type: 'text', text: 'Hello' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'tree' } },
    ]
    const usage = { input_tokens: 7, output_tokens: 5 }
    const body = { type: 'message', model: 'm', content, stop_reason: 'tool_use', usage }
    const upstream = await upstreamWith([{ status: 200, body }])
    expect(await partsOf(modelAt(upstream.url).stream({ messages: hello }))).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'tool-call', id: 'toolu_1', name: 'look', arguments: '{"at":"tree"}' },
      {
        ...{ type: 'end', reason: 'tool-calls', details: { model: 'm' } },
        usage: { promptTokens: 7, replyTokens: 5 },
        blocks: { form: 'messages', list: content },
      },
    ])
  })

  it('is an error where a stream says so, or stops before its end', async () => {
    const events = anthropicEvents([{ type: 'text', text: 'Hello there' }])
    const broken =
      'event: error\ndata: {"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}\n\n'
    for (const chunks of [events.slice(0, 4), [...events.slice(0, 4), broken]]) {
      const upstream = await upstreamWith([
        { chunks, headers: { 'content-type': 'text/event-stream' } },
      ])
      const { error, parts } = await failureOf(modelAt(upstream.url).stream({ messages: hello }))
      expect([error.code, parts.length]).toEqual(['model_stream_broken', 2])
    }
  })

  it('corrects the window where the prompt is too long', async () => {
    const message = 'prompt is too long: 215000 tokens > 200000 maximum'
    const refusal = { type: 'error', error: { type: 'invalid_request_error', message } }
    const upstream = await upstreamWith(({ path }) =>
      path.startsWith('/v1/models/')
        ? { status: 200, body: { id: 'claude-test', max_input_tokens: 1_000_000 } }
        : { status: 400, body: refusal },
    )
    const model = anthropic({ model: 'claude-test', baseURL: upstream.url })
    expect(await model.window()).toBe(1_000_000)
    const { error } = await failureOf(model.stream({ messages: hello }))
    expect([error.code, error.status, error.tokens]).toEqual([
      'context_too_long',
      400,
      { prompt: 215_000, window: 200_000 },
    ])
    expect(await model.window()).toBe(200_000)
  })
})

describe('what is sent', () => {
  it('is a body that Anthropic takes, with the key and the version', async () => {
    const upstream = await upstreamWith([anthropicAnswer([{ type: 'text', text: 'ok' }])])
    const tool = {
      name: 'look',
      description: 'Looks.',
      parameters: { type: 'object', properties: {} },
    }
    const messages = [
      { role: 'system', content: 'Be kind.' },
      { role: 'user', content: 'one' },
      { role: 'user', content: [{ type: 'image', image: 'iVBORw0KGgo=' }] },
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'a', function: { name: 'look', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: 'Error: dark' },
      { role: 'system', content: 'It is late.' },
      { role: 'user', content: 'two' },
    ]
    await partsOf(
      modelAt(upstream.url, { apiKey: 'sk-ant-test-0123456789' }).stream({
        messages,
        tools: [tool],
        settings: {
          temperature: 1.5,
          stop: ['END', ' '],
          thinking: 'low',
          provider: {
            top_k: 3,
            tool_choice: 'required',
            parallel_tool_calls: false,
            keep_alive: '1m',
          },
        },
      }),
    )
    const [{ path, headers, body }] = upstream.requests as [(typeof upstream.requests)[0]]
    expect(path).toBe('/v1/messages')
    expect([headers['x-api-key'], headers['anthropic-version']]).toEqual([
      'sk-ant-test-0123456789',
      '2023-06-01',
    ])
    expect(body).toEqual({
      model: 'claude-test',
      system: 'Be kind.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'one' },
            {
              type: 'image',
              source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'Error: dark', is_error: true },
            { type: 'text', text: 'It is late.' },
            { type: 'text', text: 'two' },
          ],
        },
      ],
      tools: [
        { name: 'look', description: 'Looks.', input_schema: { type: 'object', properties: {} } },
      ],
      max_tokens: 5000,
      temperature: 1,
      top_k: 3,
      stop_sequences: ['END'],
      thinking: { type: 'enabled', budget_tokens: 2048 },
      tool_choice: { type: 'any', disable_parallel_tool_use: true },
      stream: true,
    })
  })

  it('is the signed thoughts of a turn, as they came, with the results of its calls', async () => {
    const blocks = [
      { type: 'thinking', thinking: 'hm', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'cmVk' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} },
    ]
    const upstream = await upstreamWith([
      anthropicAnswer(blocks, { stop: 'tool_use' }),
      anthropicAnswer([{ type: 'text', text: 'A tree.' }]),
    ])
    const look = defineTool({
      name: 'look',
      description: 'Looks.',
      input: z.object({}),
      run: async () => 'tree',
    })
    const chat = createChat({
      model: modelAt(upstream.url),
      tools: [look],
      history: createHistory({ store: memoryStore() }),
    })
    const { text } = await chat.send('What is there?', { conversation: 'garden' })
    expect(text).toContain('A tree.')
    const { messages } = upstream.requests[1]!.body as { messages: unknown[] }
    expect(messages.slice(1)).toEqual([
      { role: 'assistant', content: blocks },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'tree' }] },
    ])
  })

  it('has marks for the cache from the second message on', async () => {
    const upstream = await upstreamWith(() => anthropicAnswer([{ type: 'text', text: 'ok' }]))
    const model = anthropic({ model: 'claude-test', baseURL: upstream.url, window: 10_000 })
    const chat = createChat({
      model,
      system: 'Be kind.',
      history: createHistory({ store: memoryStore() }),
    })
    for (const text of ['one', 'two']) await chat.send(text, { conversation: 'garden' })
    const bodies = upstream.requests.map(({ body }) => JSON.stringify(body))
    expect(bodies.map(body => body.split('"cache_control"').length - 1)).toEqual([0, 3])
    expect(upstream.requests[1]!.body).toMatchObject({
      system: [{ text: 'Be kind.', cache_control: { type: 'ephemeral' } }],
    })
  })

  it('is no key of Anthropic to another server', async () => {
    vi.stubEnv('ANTHROPIC_API_KEY', 'sk-ant-secret-0123456789')
    const upstream = await upstreamWith([anthropicAnswer([{ type: 'text', text: 'ok' }])])
    await partsOf(modelAt(upstream.url).stream({ messages: hello }))
    expect(upstream.requests[0]!.headers['x-api-key']).toBeUndefined()
  })
})
