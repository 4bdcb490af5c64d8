import Anthropic from '@anthropic-ai/sdk'
import { anthropicAnswer, upstreamWith } from '@throughline/models/fixtures'
import type { UpstreamAnswer, UpstreamRequest } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { Ollama } from 'ollama'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { anthropicUpstream } from '../../src/upstream/model-servers.ts'

const signed = [
  { type: 'thinking', thinking: 'hm', signature: 'c2lnbmVk' },
  { type: 'text', text: 'I look.' },
  { type: 'tool_use', id: 'toolu_1', name: 'look', input: { at: 'tree' } },
]
const said = [{ type: 'text', text: 'A tree.' }]
const tool = { name: 'look', input_schema: { type: 'object' as const } }

type Body = {
  readonly messages: readonly { readonly role: string; readonly content: unknown }[]
  readonly [field: string]: unknown
}

async function start(
  answer: (request: UpstreamRequest, at: number) => UpstreamAnswer,
  options: Parameters<typeof startServer>[0] & {
    readonly apiKey?: string
    readonly window?: number
  } = {},
) {
  const { apiKey, window, ...rest } = options
  let count = 0
  const scripted = await upstreamWith(request =>
    request.path.startsWith('/v1/messages') ? answer(request, count++) : { status: 404, body: {} },
  )
  // Marks for the cache have tests of their own.
  const upstream = anthropicUpstream({
    url: scripted.url,
    cacheMarks: false,
    ...(apiKey !== undefined && { apiKey }),
    ...(window !== undefined && { window }),
  })
  const server = await startServer({ upstream, ...rest })
  const client = new Anthropic({ baseURL: server.url, apiKey: 'sk-ant-api-mine', maxRetries: 0 })
  const got = () => scripted.requests.filter(({ path }) => path.startsWith('/v1/messages'))
  return { ...server, client, got, bodies: () => got().map(({ body }) => body as Body) }
}

describe('a client of Claude that sends only what is new', () => {
  it('gets its signed thoughts back to the model, before the results of their calls', async () => {
    const { client, bodies } = await start((_, at) =>
      anthropicAnswer(at === 0 ? signed : said, { stop: at === 0 ? 'tool_use' : 'end_turn' }),
    )
    const headers = { 'x-throughline-conversation': 'garden' }
    const common = { model: 'claude-test', max_tokens: 2000, tools: [tool], stream: true as const }
    const ask = async (messages: Anthropic.MessageParam[]) => {
      for await (const _ of await client.messages.create({ ...common, messages }, { headers }));
    }
    await ask([{ role: 'user', content: 'What is there?' }])
    await ask([
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'leaf', is_error: false },
        ],
      },
    ])
    await ask([{ role: 'user', content: 'And now?' }])
    expect(bodies()[1]!.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What is there?' }] },
      { role: 'assistant', content: signed },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'toolu_1', content: 'leaf', is_error: false },
        ],
      },
    ])
    expect(bodies()[2]!.messages.slice(1, 4)).toEqual([
      { role: 'assistant', content: signed },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'leaf' }] },
      { role: 'assistant', content: said },
    ])
  })
})

describe('what Anthropic refuses', () => {
  it('reaches the client as Anthropic said it', async () => {
    const body = {
      type: 'error',
      error: { type: 'overloaded_error', message: 'Overloaded' },
      request_id: 'req_1',
    }
    const { client, url } = await start(() => ({
      status: 529,
      body,
      headers: { 'retry-after': '7', 'request-id': 'req_1' },
    }))
    const asked = client.messages.create({
      model: 'm',
      max_tokens: 9,
      messages: [{ role: 'user', content: 'hi' }],
    })
    await expect(asked).rejects.toMatchObject({ status: 529, error: body, requestID: 'req_1' })
    const response = await fetch(`${url}/v1/messages`, {
      method: 'POST',
      body: JSON.stringify({
        model: 'm',
        max_tokens: 9,
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    })
    expect([response.status, response.headers.get('retry-after'), await response.json()]).toEqual([
      529,
      '7',
      body,
    ])
  })

  it('corrects the window where the prompt is too long, and the client hears nothing of it', async () => {
    const message = 'prompt is too long: 9000 tokens > 2000 maximum'
    const refusal = { type: 'error', error: { type: 'invalid_request_error', message } }
    const { client, bodies } = await start((_, at) =>
      at === 0 ? { status: 400, body: refusal } : anthropicAnswer(said),
    )
    const messages = Array.from({ length: 41 }, (_, at) => ({
      role: at % 2 === 0 ? ('user' as const) : ('assistant' as const),
      content: `${at} ${'leaf bark root moss '.repeat(20)}`,
    }))
    const stream = client.messages.stream({ model: 'm', max_tokens: 500, messages })
    expect(await stream.finalText()).toBe('A tree.')
    expect(bodies()[0]!.messages).toEqual(messages)
    await client.messages
      .stream({
        model: 'm',
        max_tokens: 500,
        messages: [
          ...messages,
          { role: 'assistant', content: 'A tree.' },
          { role: 'user', content: 'Well?' },
        ],
      })
      .finalText()
    expect(bodies().at(-1)!.messages.length).toBeLessThan(20)
    expect(bodies().at(-1)!.messages.at(-1)).toEqual({ role: 'user', content: 'Well?' })
  })
})

describe('whose key', () => {
  const body = JSON.stringify({
    model: 'm',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'hi' }],
  })
  const ask = async (url: string, headers: Record<string, string>) => {
    const response = await fetch(`${url}/v1/messages`, { method: 'POST', headers, body })
    await response.text()
    return response.status
  }
  const keys = ({ headers }: UpstreamRequest) => [
    headers['x-api-key'],
    headers.authorization,
    headers['x-throughline-key'],
  ]

  it('is that of the client where the upstream has none', async () => {
    const { url, got } = await start(() => anthropicAnswer(said))
    await ask(url, { 'x-api-key': 'sk-ant-api-mine' })
    await ask(url, { authorization: 'Bearer sk-ant-oat-mine' })
    expect(got().map(keys)).toEqual([
      ['sk-ant-api-mine', undefined, undefined],
      [undefined, 'Bearer sk-ant-oat-mine', undefined],
    ])
  })

  it('is that of the configuration where there is one, and the client’s stays here', async () => {
    const { url, got } = await start(() => anthropicAnswer(said), { apiKey: 'sk-ant-api-house' })
    await ask(url, { 'x-api-key': 'sk-ant-api-mine', authorization: 'Bearer sk-ant-oat-mine' })
    expect(got().map(keys)).toEqual([['sk-ant-api-house', undefined, undefined]])
  })

  it('is never our own: that travels beside the client’s', async () => {
    const ours = 'a-key-of-the-server-0123456789'
    const { url, got } = await start(() => anthropicAnswer(said), { apiKeys: [ours] })
    expect(await ask(url, { 'x-api-key': 'sk-ant-api-mine' })).toBe(401)
    expect(
      await ask(url, { 'x-api-key': 'sk-ant-api-mine', 'x-throughline-key': 'wrong-0123456789' }),
    ).toBe(401)
    expect(await ask(url, { 'x-api-key': 'sk-ant-api-mine', 'x-throughline-key': ours })).toBe(200)
    expect(
      await ask(url, { 'x-api-key': 'sk-ant-api-mine', authorization: `Bearer ${ours}` }),
    ).toBe(200)
    expect(await ask(url, { authorization: `Bearer ${ours}` })).toBe(200)
    expect(got().map(keys)).toEqual([
      ['sk-ant-api-mine', undefined, undefined],
      ['sk-ant-api-mine', undefined, undefined],
      [undefined, undefined, undefined],
    ])
  })

  it('is repeated in no error', async () => {
    const message = 'invalid x-api-key sk-ant-api-mine-0123456789'
    const { url, served } = await start(() => ({
      status: 400,
      body: { type: 'error', error: { type: 'x', message } },
    }))
    await ask(url, { 'x-api-key': 'sk-ant-api-mine-0123456789' })
    expect(served[0]!.answered!.result.error!.message).not.toContain('mine-0123456789')
  })
})

it('counts what the client wrote', async () => {
  const { client, got } = await start(() => ({ status: 200, body: { input_tokens: 4711 } }))
  const counted = await client.messages.countTokens({
    model: 'm',
    tools: [tool],
    messages: [{ role: 'user', content: 'hi' }],
  })
  expect(counted).toEqual({ input_tokens: 4711 })
  expect(got()[0]!.path).toBe('/v1/messages/count_tokens')
  expect(got()[0]!.body).toEqual({
    model: 'm',
    tools: [tool],
    messages: [{ role: 'user', content: 'hi' }],
  })
})

describe('clients of other forms', () => {
  const answers = (_: unknown, at: number) =>
    anthropicAnswer(at === 0 ? signed : said, { stop: at === 0 ? 'tool_use' : 'end_turn' })
  const expected = [
    { role: 'user', content: [{ type: 'text', text: 'What is there?' }] },
    { role: 'assistant', content: signed },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'leaf' }] },
  ]
  const spec = {
    name: 'look',
    description: 'Looks.',
    parameters: { type: 'object', properties: {} },
  }

  it('of OpenAI’s chat talk to Claude, with tools, and its thoughts stay signed', async () => {
    const { url, bodies, got } = await start(answers)
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'sk-ant-api-mine', maxRetries: 0 })
    const tools = [{ type: 'function' as const, function: spec }]
    const question = { role: 'user' as const, content: 'What is there?' }
    const first = await client.chat.completions.create({
      model: 'claude-test',
      messages: [question],
      tools,
      temperature: 2,
    })
    const { message, finish_reason } = first.choices[0]!
    expect([message.content, finish_reason, message.tool_calls?.[0]]).toEqual([
      'I look.',
      'tool_calls',
      { id: 'toolu_1', type: 'function', function: { name: 'look', arguments: '{"at":"tree"}' } },
    ])
    const result = { role: 'tool' as const, tool_call_id: 'toolu_1', content: 'leaf' }
    const second = await client.chat.completions.create({
      model: 'claude-test',
      messages: [question, message, result],
      tools,
    })
    expect(second.choices[0]!.message.content).toBe('A tree.')
    expect(bodies()[1]!.messages).toEqual(expected)
    expect(bodies()[0]).toMatchObject({
      temperature: 1,
      max_tokens: 8192,
      tools: [{ name: 'look', input_schema: spec.parameters }],
    })
    expect(got()[0]!.headers).toMatchObject({
      'x-api-key': 'sk-ant-api-mine',
      'anthropic-version': '2023-06-01',
    })
    expect(got()[0]!.headers.authorization).toBeUndefined()
  })

  it('of Ollama and of Responses too', async () => {
    const { url, bodies } = await start(answers)
    const client = new Ollama({ host: url })
    const question = { role: 'user', content: 'What is there?' }
    const tools = [{ type: 'function', function: spec }] as never
    const { message } = await client.chat({
      model: 'claude-test',
      messages: [question],
      tools,
      stream: false,
    })
    const result = { role: 'tool', tool_name: 'look', tool_call_id: 'toolu_1', content: 'leaf' }
    const second = await client.chat({
      model: 'claude-test',
      messages: [question, message, result],
      tools,
    })
    expect(second.message.content).toBe('A tree.')
    expect(bodies()[1]!.messages).toEqual(expected)
    const openai = new OpenAI({ baseURL: `${url}/v1`, apiKey: 'x', maxRetries: 0 })
    const response = await openai.responses.create({
      model: 'claude-test',
      instructions: 'Be kind.',
      input: 'Hello?',
    })
    expect(response.output_text).toBe('A tree.')
    expect(bodies()[2]).toMatchObject({
      system: 'Be kind.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hello?' }] }],
    })
  })
})
