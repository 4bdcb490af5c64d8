import { openaiAnswer, sse } from '@throughline/test-tools/scripted-upstream'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { ModelRequest } from '../../model.ts'
import { failureOf, partsOf, upstreamWith } from '../../upstream.fixture.ts'
import { type OpenAiCompatibleOptions, openaiCompatible } from './openai-compatible.ts'

const hello = [{ role: 'user', content: 'hello' }]
const usage = { promptTokens: 7, replyTokens: 3 }
const end = { type: 'end', reason: 'stop', usage, details: { model: 'scripted' } }

afterEach(() => vi.unstubAllEnvs())

async function partsFrom(answer: { chunks: string[]; headers?: Record<string, string> }) {
  const upstream = await upstreamWith([answer])
  return partsOf(
    openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'm' }).stream({ messages: hello }),
  )
}

async function requestOf(request: ModelRequest, options: Partial<OpenAiCompatibleOptions> = {}) {
  const upstream = await upstreamWith([openaiAnswer([])])
  await partsOf(
    openaiCompatible({ baseURL: `${upstream.url}/v1`, model: 'm', ...options }).stream(request),
  )
  return upstream.requests[0]!
}

describe('what comes back', () => {
  it('is text as it arrives, and an end with the usage', async () => {
    const deltas = [{ role: 'assistant', content: '' }, { content: 'Hello' }, { content: ' there' }]
    expect(await partsFrom(openaiAnswer(deltas))).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'text-delta', text: ' there' },
      end,
    ])
  })

  it.each(['reasoning', 'reasoning_content'])('is thinking apart from the text: %s', async name => {
    expect(await partsFrom(openaiAnswer([{ [name]: 'hm' }, { content: 'yes' }]))).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'text-delta', text: 'yes' },
      end,
    ])
  })

  it('is a refusal as text, because it is all that the model says', async () => {
    const [part] = await partsFrom(openaiAnswer([{ refusal: 'I will not.' }]))
    expect(part).toEqual({ type: 'text-delta', text: 'I will not.' })
  })

  it('is tool calls, put together by index', async () => {
    const piece = (index: number, args: string, id?: string, name?: string) => ({
      tool_calls: [{ index, id, function: { name, arguments: args } }],
    })
    const deltas = [
      piece(0, '', 'a', 'wind'),
      piece(0, '{"city":'),
      piece(1, '{"at"', 'b', 'tide'),
      piece(0, '"Kiel"}'),
      piece(1, ':1}'),
      piece(2, '', '', 'stop'),
    ]
    expect(await partsFrom(openaiAnswer(deltas, { finish: 'tool_calls' }))).toEqual([
      { type: 'tool-call', id: 'a', name: 'wind', arguments: '{"city":"Kiel"}' },
      { type: 'tool-call', id: 'b', name: 'tide', arguments: '{"at":1}' },
      { type: 'tool-call', id: 'call_3', name: 'stop', arguments: '{}' },
      { ...end, reason: 'tool-calls' },
    ])
  })

  it('tells calls apart where every index is 0 or absent, and names come again with every piece', async () => {
    const piece = (index: number | undefined, id: string, args: string) => ({
      tool_calls: [{ index, id, function: { name: 'wind', arguments: args } }],
    })
    for (const index of [0, undefined]) {
      const deltas = [piece(index, 'a', '{"x"'), piece(index, 'a', ':1}'), piece(index, 'b', '{}')]
      const parts = await partsFrom(openaiAnswer(deltas))
      expect(parts.slice(0, 2)).toEqual([
        { type: 'tool-call', id: 'a', name: 'wind', arguments: '{"x":1}' },
        { type: 'tool-call', id: 'b', name: 'wind', arguments: '{}' },
      ])
      expect(parts.at(-1)).toMatchObject({ reason: 'tool-calls' })
    }
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['tool_calls', 'tool-calls'],
    ['content_filter', 'other'],
  ])('ends by %s as %s', async (finish, reason) => {
    const parts = await partsFrom(openaiAnswer([{ content: 'a' }], { finish }))
    expect(parts.at(-1)).toMatchObject({ type: 'end', reason })
  })

  it('has the tokens that were cached, or no usage where a server tells none', async () => {
    const usage = {
      prompt_tokens: 9,
      completion_tokens: 2,
      prompt_tokens_details: { cached_tokens: 8 },
    }
    expect((await partsFrom(openaiAnswer([], { usage }))).at(-1)).toMatchObject({
      usage: { promptTokens: 9, replyTokens: 2, cachedTokens: 8 },
    })
    const bare = sse({ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] })
    expect((await partsFrom({ chunks: [bare] })).at(-1)).toEqual({ ...end, usage: {}, details: {} })
  })
})

describe('what is sent', () => {
  it('asks for a stream and for the usage', async () => {
    const { body, path } = await requestOf({ messages: hello })
    expect(path).toBe('/v1/chat/completions')
    expect(body).toEqual({
      model: 'm',
      messages: hello,
      stream: true,
      stream_options: { include_usage: true },
    })
  })

  it('has the settings and the tools by OpenAI’s names', async () => {
    const tool = { name: 'wind', parameters: { type: 'object' } }
    const { body } = await requestOf(
      {
        messages: hello,
        tools: [tool],
        settings: {
          temperature: 0,
          maxTokens: 9,
          seed: 4,
          stop: ['END'],
          thinking: 'low',
          format: 'json',
        },
      },
      { settings: { temperature: 1, provider: { top_k: 5 } } },
    )
    expect(body).toMatchObject({
      temperature: 0,
      max_tokens: 9,
      seed: 4,
      stop: ['END'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
      top_k: 5,
      tools: [{ type: 'function', function: tool }],
    })
  })

  it('has a schema for the reply, and thinking that is off', async () => {
    const schema = { type: 'object' }
    const { body } = await requestOf({
      messages: hello,
      settings: { format: schema, thinking: false },
    })
    expect(body).toMatchObject({
      reasoning_effort: 'none',
      response_format: { type: 'json_schema', json_schema: { schema } },
    })
  })

  it('limits a reply of OpenAI itself by its newer name', async () => {
    const upstream = await upstreamWith([openaiAnswer([])])
    const model = openaiCompatible({
      baseURL: 'https://api.openai.com/v1',
      model: 'm',
      apiKey: 'sk-1',
      fetch: (_, init) => fetch(`${upstream.url}/v1/chat/completions`, init),
    })
    await partsOf(model.stream({ messages: hello, settings: { maxTokens: 9 } }))
    expect(upstream.requests[0]!.body).toMatchObject({ max_completion_tokens: 9 })
    expect(upstream.requests[0]!.body).not.toHaveProperty('max_tokens')
  })

  it('has the key and the headers that were given', async () => {
    const { headers } = await requestOf(
      { messages: hello },
      { apiKey: 'k1', headers: { 'x-team': 'a' } },
    )
    expect(headers).toMatchObject({ authorization: 'Bearer k1', 'x-team': 'a' })
    const own = { Authorization: 'Token t1' }
    const { headers: sent } = await requestOf({ messages: hello }, { apiKey: 'k1', headers: own })
    expect(sent).toMatchObject({ authorization: 'Token t1' })
  })

  it('has no key of the environment: that one is for OpenAI', async () => {
    vi.stubEnv('OPENAI_API_KEY', 'sk-mine')
    vi.stubEnv('OPENAI_ADMIN_KEY', 'sk-admin')
    vi.stubEnv('OPENAI_ORG_ID', 'org-mine')
    vi.stubEnv('OPENAI_PROJECT_ID', 'project-mine')
    const { headers } = await requestOf({ messages: hello })
    expect(headers).not.toHaveProperty('authorization')
    expect(JSON.stringify(headers)).not.toMatch(/mine|sk-/)
    const fetch = vi.fn(globalThis.fetch).mockRejectedValue(new Error('no network here'))
    const model = openaiCompatible({ baseURL: 'https://api.openai.com/v1', model: 'm', fetch })
    await expect(partsOf(model.stream({ messages: hello }))).rejects.toThrow('cannot be reached')
    expect(Object.fromEntries(new Headers(fetch.mock.calls[0]![1]!.headers))).toMatchObject({
      authorization: 'Bearer sk-mine',
      'openai-organization': 'org-mine',
      'openai-project': 'project-mine',
    })
  })
})

it('gives no half of a tool call that breaks off', async () => {
  const call = {
    tool_calls: [{ index: 0, id: 'a', function: { name: 'wind', arguments: '{"ci' } }],
  }
  const upstream = await upstreamWith([
    { chunks: openaiAnswer([{ content: 'one' }, call]).chunks.slice(0, 2) },
  ])
  const model = openaiCompatible({ baseURL: upstream.url, model: 'm' })
  const { parts } = await failureOf(model.stream({ messages: hello }))
  expect(parts).toEqual([{ type: 'text-delta', text: 'one' }])
})

it('says what is missing where OpenAI has no key, and asks nobody', async () => {
  vi.stubEnv('OPENAI_API_KEY', undefined)
  const fetch = vi.fn()
  const model = openaiCompatible({
    baseURL: 'https://api.openai.com/v1',
    model: 'gpt',
    window: 9,
    fetch,
  })
  const { error } = await failureOf(model.stream({ messages: hello }))
  expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
  expect(error.message).toMatch(
    /^The server at https:\/\/api\.openai\.com\/v1 was not asked: ".*OPENAI_API_KEY/,
  )
  expect(String(error.cause)).toContain('OPENAI_API_KEY')
  expect(fetch).not.toHaveBeenCalled()
})
