import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { growth, notLinear } from '@throughline/test-tools/growth'
import { jsonSchema, streamText, type ToolSet } from 'ai'
import fc from 'fast-check'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import {
  answering,
  answeringJson,
  calls,
  cuts,
  deep,
  endOf,
  expectDamagedIsRefused,
  odd,
  oddText,
  refusalOf,
  type SampleReply,
  startOf,
  streamOf,
} from '../adapters.fixture.ts'
import { openaiAdapter as adapter } from './index.ts'
import { toCompletion } from './write-reply.ts'

const ask = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }] }
const wide = { ...ask, stream: true as const, stream_options: { include_usage: true } }
const clientOf = (answer: typeof fetch) =>
  new OpenAI({
    apiKey: 'none',
    baseURL: 'http://adapter/v1',
    fetch: answer,
    maxRetries: 0,
    logLevel: 'off',
  })

interface ChunkDelta extends OpenAI.ChatCompletionChunk.Choice.Delta {
  reasoning?: string
  reasoning_content?: string
}

async function read(text: string, sizes?: readonly number[]) {
  const client = clientOf(answering(text, { type: adapter.streamType, ...(sizes && { sizes }) }))
  const chunks: OpenAI.ChatCompletionChunk[] = []
  for await (const chunk of await client.chat.completions.create(wide)) chunks.push(chunk)
  const deltas = chunks.flatMap(chunk => chunk.choices.map(choice => choice.delta as ChunkDelta))
  return {
    chunks,
    text: deltas.map(delta => delta.content ?? '').join(''),
    thinking: deltas.map(delta => delta.reasoning ?? '').join(''),
    other: deltas.map(delta => delta.reasoning_content ?? '').join(''),
    calls: deltas.flatMap(delta => delta.tool_calls ?? []),
    finish: chunks.flatMap(chunk => chunk.choices.flatMap(choice => choice.finish_reason ?? [])),
    usage: chunks.at(-1)?.usage,
  }
}

const reply: SampleReply = {
  thinking: ['Let me ', 'see…'],
  text: odd,
  calls,
  usage: { promptTokens: 30, replyTokens: 12, cachedTokens: 20 },
}
const toolCalls = calls.map(({ id, name, arguments: json }) => ({
  id,
  type: 'function',
  function: { name, arguments: json },
}))
const usage = {
  prompt_tokens: 30,
  completion_tokens: 12,
  total_tokens: 42,
  prompt_tokens_details: { cached_tokens: 20 },
}

describe('a stream, read by the openai library', () => {
  it('is what was written, wherever the network cuts it', async () => {
    const text = streamOf(adapter, startOf(adapter, wide), reply)
    await fc.assert(
      fc.asyncProperty(cuts, async sizes => {
        const got = await read(text, sizes)
        expect(got.text).toBe(oddText)
        expect(got.thinking).toBe('Let me see…')
        expect(got.other).toBe(got.thinking)
        expect(got.calls).toEqual(toolCalls.map((call, index) => ({ index, ...call })))
        expect(got.finish).toEqual(['tool_calls'])
        expect(got.usage).toEqual(usage)
        expect(
          new Set(got.chunks.map(chunk => `${chunk.id} ${chunk.created} ${chunk.object}`)),
        ).toEqual(new Set([`chatcmpl-abc ${Date.UTC(2026, 7, 1) / 1000} chat.completion.chunk`]))
      }),
      { seed: 11, numRuns: 25 },
    )
  })

  it.each([
    ['stop', 'stop'],
    ['length', 'length'],
    ['other', 'stop'],
  ] as const)('ends by %s', async (reason, finish) => {
    expect(
      (await read(streamOf(adapter, startOf(adapter, wide), { text: ['a'], reason }))).finish,
    ).toEqual([finish])
  })

  it('has the usage only if it was asked for, and our count where the upstream gave none', async () => {
    const plain = await read(streamOf(adapter, startOf(adapter, { ...ask, stream: true }), reply))
    expect(plain.chunks.every(chunk => chunk.usage === undefined)).toBe(true)
    const counted = await read(streamOf(adapter, startOf(adapter, wide), { text: ['a'] }))
    expect(counted.usage).toMatchObject({ prompt_tokens: 21, completion_tokens: 0 })
  })

  it('is something else if a line break in it were not escaped: this test would find it', async () => {
    const text = streamOf(adapter, startOf(adapter, wide), reply).replaceAll('\\n', '\n')
    const got = await read(text).catch(() => undefined)
    expect(got?.text).not.toBe(oddText)
  })

  it('ends with [DONE], and with nothing after an error', () => {
    const stream = adapter.stream(startOf(adapter, wide))
    expect(stream.end(endOf({})).endsWith('data: [DONE]\n\n')).toBe(true)
    expect(stream.fail({ status: 500, code: 'model_unavailable', message: 'gone' })).not.toContain(
      '[DONE]',
    )
  })

  it('throws where it failed', async () => {
    const stream = adapter.stream(startOf(adapter, wide))
    const fault = { status: 502, code: 'model_stream_broken', message: 'The upstream broke off' }
    const text = stream.start() + stream.text('Hel') + stream.fail(fault)
    const failure = read(text).catch(error => error)
    expect(await failure).toBeInstanceOf(OpenAI.APIError)
    expect(await failure).toMatchObject({ code: 'model_stream_broken', type: 'api_error' })
  })

  it('carries log probabilities', async () => {
    const logprobs = [{ token: 'H', logprob: -0.5, top_logprobs: [{ token: 'J', logprob: -2 }] }]
    const { chunks } = await read(
      streamOf(adapter, startOf(adapter, wide), { text: ['H', 'i'], logprobs }),
    )
    expect(chunks.flatMap(chunk => chunk.choices[0]?.logprobs?.content ?? [])).toEqual([
      {
        token: 'H',
        logprob: -0.5,
        bytes: [72],
        top_logprobs: [{ token: 'J', logprob: -2, bytes: [74] }],
      },
    ])
  })

  it('writes nothing for an empty delta', () => {
    const stream = adapter.stream(startOf(adapter, wide))
    expect([stream.text(''), stream.thinking(''), stream.calls([])]).toEqual(['', '', ''])
  })
})

it('is read by the AI SDK too, with its thoughts', async () => {
  const provider = createOpenAICompatible({
    name: 'adapter',
    baseURL: 'http://adapter/v1',
    fetch: answering(streamOf(adapter, startOf(adapter, wide), reply), {
      type: adapter.streamType,
      sizes: [7],
    }),
    includeUsage: true,
  })
  const any = { inputSchema: jsonSchema({ type: 'object' }) }
  const tools: ToolSet = { wind: any, tide: any }
  const result = streamText({ model: provider('m'), prompt: 'Hello', tools })
  expect(await result.text).toBe(oddText)
  expect(await result.reasoningText).toBe('Let me see…')
  expect((await result.toolCalls).map(({ toolCallId, input }) => [toolCallId, input])).toEqual([
    ['call_1', { city: 'Kiel', days: 2 }],
    ['call_2', {}],
  ])
  expect(await result.finishReason).toBe('tool-calls')
  expect(await result.usage).toMatchObject({ inputTokens: 30, outputTokens: 12 })
})

describe('a whole body, read by the openai library', () => {
  const complete = (reply: SampleReply) =>
    clientOf(
      answeringJson(adapter.whole(startOf(adapter, ask), endOf(reply))),
    ).chat.completions.create(ask)

  it('has everything', async () => {
    // The types of the library agree.
    toCompletion(startOf(adapter, ask), endOf(reply)) satisfies OpenAI.ChatCompletion
    const { choices, ...rest } = await complete(reply)
    expect(choices).toEqual([
      {
        index: 0,
        logprobs: null,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: oddText,
          refusal: null,
          reasoning: 'Let me see…',
          reasoning_content: 'Let me see…',
          tool_calls: toolCalls,
        },
      },
    ])
    expect(rest).toMatchObject({ id: 'chatcmpl-abc', object: 'chat.completion', model: 'm', usage })
  })

  it('has no content beside calls alone, and an empty one without anything', async () => {
    expect((await complete({ calls })).choices[0]!.message.content).toBeNull()
    expect((await complete({})).choices[0]!.message.content).toBe('')
  })

  it('has log probabilities', async () => {
    const logprobs = [{ token: 'H', logprob: -0.5 }]
    expect((await complete({ text: ['H'], logprobs })).choices[0]!.logprobs?.content).toEqual([
      { token: 'H', logprob: -0.5, bytes: [72], top_logprobs: [] },
    ])
  })
})

describe('an error, read by the openai library', () => {
  it.each([
    [400, 'bad_request', OpenAI.BadRequestError, 'invalid_request_error'],
    [401, 'unauthorized', OpenAI.AuthenticationError, 'authentication_error'],
    [403, 'forbidden', OpenAI.PermissionDeniedError, 'permission_error'],
    [404, 'model_not_found', OpenAI.NotFoundError, 'invalid_request_error'],
    [429, 'model_busy', OpenAI.RateLimitError, 'rate_limit_error'],
    [503, 'model_unavailable', OpenAI.InternalServerError, 'api_error'],
  ])('%i %s', async (status, code, type, name) => {
    const fault = adapter.fault({ status, code, message: 'Because', field: 'n' }, 'req_1')
    const client = clientOf(answeringJson(fault.body, fault.status))
    const error = await client.chat.completions.create(ask).catch(failure => failure)
    expect(error).toBeInstanceOf(type)
    expect(error).toMatchObject({ status, code, type: name, param: 'n' })
    expect(error.message).toContain('Because')
  })

  it('has the words for a prompt that is too long', () => {
    const fault = { status: 413, code: 'context_too_long', message: 'Too long.' }
    const { status, body } = adapter.fault(
      { ...fault, tokens: { prompt: 900, window: 512 } },
      'req_1',
    )
    expect(status).toBe(400)
    expect(body).toMatchObject({
      error: { code: 'context_length_exceeded', type: 'invalid_request_error' },
    })
    const { message } = (body as { error: { message: string } }).error
    expect(message).toMatch(
      /^This model's maximum context length is 512 tokens\. However, .* 900 tokens/,
    )
    expect(JSON.stringify(adapter.fault(fault, 'req_1').body)).toContain('maximum context length')
  })
})

describe('a request', () => {
  it('is read: system, messages, tools, settings', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } } }
    const request = adapter.read({
      model: 'm',
      stream: true,
      temperature: 0,
      top_p: 0.9,
      max_tokens: 5,
      max_completion_tokens: 100,
      seed: 7,
      stop: 'END',
      presence_penalty: 0.5,
      logprobs: true,
      top_logprobs: 2,
      tool_choice: 'auto',
      reasoning_effort: 'minimal',
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: parameters } },
      user: 'u1',
      num_ctx: 8192,
      options: { num_ctx: 8192 },
      truncate: true,
      unknown: deep(),
      tools: [
        {
          type: 'function',
          function: { name: 'wind', description: 'Wind', parameters, strict: true },
        },
      ],
      messages: [
        { role: 'system', content: 'You sail.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Be' },
            { type: 'text', text: 'brief.' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
          name: 'ada',
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          reasoning_content: 'hm',
          tool_calls: toolCalls,
          id: 'x',
        },
        { role: 'tool', tool_call_id: 'call_1', content: '4 Bft' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'low' }] },
        { role: 'developer', content: 'Now in German.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
      ],
    })
    expect(request).toEqual({
      origins: [2, 3, 4, 5, 6, 7].map(at => ({ first: at, last: at })),
      model: 'm',
      system: 'You sail.\n\nBe\nbrief.',
      messages: [
        { role: 'user', content: 'a\nb', name: 'ada' },
        { role: 'assistant', content: '', thinking: 'hm', tool_calls: toolCalls },
        { role: 'tool', tool_call_id: 'call_1', content: '4 Bft' },
        { role: 'tool', tool_call_id: 'call_2', content: 'low' },
        { role: 'system', content: 'Now in German.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'look' },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          ],
        },
      ],
      tools: [{ name: 'wind', description: 'Wind', parameters }],
      settings: {
        temperature: 0,
        maxTokens: 100,
        seed: 7,
        stop: ['END'],
        format: parameters,
        thinking: 'low',
        provider: {
          top_p: 0.9,
          presence_penalty: 0.5,
          logprobs: true,
          top_logprobs: 2,
          tool_choice: 'auto',
        },
      },
      stream: true,
      named: { user: 'u1' },
      hints: { includeUsage: false },
    })
  })

  it('leaves unset what is unset, null or −1', () => {
    const { settings, stream, system } = adapter.read({
      ...ask,
      temperature: null,
      max_tokens: -1,
      stop: null,
    })
    expect({ settings, stream, system }).toEqual({ settings: { provider: {} }, stream: false })
  })

  it.each([
    ['none', false],
    ['minimal', 'low'],
    ['high', 'high'],
    ['xhigh', 'max'],
    ['auto', undefined],
  ])('has an effort of %s', (reasoning_effort, thinking) => {
    expect(adapter.read({ ...ask, reasoning_effort }).settings.thinking).toBe(thinking)
  })

  it.each([
    [{ type: 'json_object' }, 'json'],
    [{ type: 'text' }, undefined],
    [{ type: 'json_schema', json_schema: { name: 'x' } }, 'json'],
  ])('has a format of %j', (response_format, format) => {
    expect(adapter.read({ ...ask, response_format }).settings.format).toEqual(format)
  })

  it('may have the calls of the oldest form', () => {
    const messages = [
      { role: 'assistant', content: null, function_call: { name: 'wind', arguments: '{}' } },
      { role: 'function', name: 'wind', content: '4 Bft' },
    ]
    expect(adapter.read({ ...ask, messages }).messages).toEqual([
      {
        role: 'assistant',
        content: '',
        tool_calls: [{ function: { name: 'wind', arguments: '{}' } }],
      },
      { role: 'tool', tool_name: 'wind', content: '4 Bft' },
    ])
  })

  it.each([
    ['a list', [], undefined],
    ['a text', 'x', undefined],
    ['no model', { messages: [] }, 'model'],
    ['no messages', { model: 'm' }, 'messages'],
    ['two answers', { ...ask, n: 2 }, 'n'],
    ['a stream of another kind', { ...ask, stream: 'yes' }, 'stream'],
    [
      'a temperature beyond numbers',
      { ...ask, temperature: Number.POSITIVE_INFINITY },
      'temperature',
    ],
    ['half a token', { ...ask, max_tokens: 1.5 }, 'max_tokens'],
    ['a stop that is no text', { ...ask, stop: ['a', 1] }, 'stop[1]'],
    ['a null message', { ...ask, messages: [null] }, 'messages[0]'],
    [
      'a note',
      { ...ask, messages: [{ role: 'assistant_note', content: 'x' }] },
      'messages[0].role',
    ],
    [
      'a number as content',
      { ...ask, messages: [{ role: 'user', content: 1 }] },
      'messages[0].content',
    ],
    [
      'a null part',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'text', text: 'a' }, null] }] },
      'messages[0].content[1]',
    ],
    [
      'a part of the AI SDK',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'tool-result' }] }] },
      'messages[0].content[0]',
    ],
    [
      'an image for the system',
      {
        ...ask,
        messages: [{ role: 'system', content: [{ type: 'image_url', image_url: { url: 'x' } }] }],
      },
      'messages[0].content',
    ],
    [
      'a part that is too deep',
      { ...ask, messages: [{ role: 'user', content: [{ type: 'hologram', of: deep() }] }] },
      'messages[0].content[0]',
    ],
    [
      'a call without a name',
      { ...ask, messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: {} }] }] },
      'messages[0].tool_calls[0].function.name',
    ],
    [
      'a result of nothing',
      { ...ask, messages: [{ role: 'tool', content: 'x' }] },
      'messages[0].tool_call_id',
    ],
    [
      'a schema that is too deep',
      { ...ask, tools: [{ type: 'function', function: { name: 'a', parameters: { x: deep() } } }] },
      'tools[0].function.parameters',
    ],
    [
      'a tool of another kind',
      { ...ask, tools: [{ type: 'custom', custom: {} }] },
      'tools[0].type',
    ],
    ['logprobs in number', { ...ask, logprobs: 5 }, 'logprobs'],
  ])('is refused for %s', (_, body, field) => {
    const error = refusalOf(adapter, body)
    expect(error).toMatchObject({ code: 'bad_request', field })
    if (field) expect(error!.message).toContain(`"${field}"`)
  })

  it('is read or refused, whatever stands in it, and its messages are readable', () => {
    const good = {
      ...wide,
      stop: ['a'],
      response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } },
      tools: [{ type: 'function', function: { name: 'a', parameters: { type: 'object' } } }],
      messages: [
        { role: 'system', content: 'a' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'image_url', image_url: { url: 'x' } },
          ],
        },
        { role: 'assistant', content: null, tool_calls: toolCalls },
        { role: 'tool', tool_call_id: 'call_1', content: 'a' },
        { role: 'function', name: 'a', content: 'a' },
      ],
    }
    expectDamagedIsRefused(adapter, good, 12)
  })

  it('is read in linear time, and its texts are not copied', () => {
    const text = 'word '.repeat(2000)
    const bodyOf = (size: number) => ({
      model: 'm',
      messages: Array.from({ length: size }, (_, at) => ({
        role: at % 2 ? 'assistant' : 'user',
        content: [{ type: 'text', text }],
      })),
    })
    expect(growth(bodyOf, adapter.read, { size: 2000 })).toBeLessThan(notLinear)
    const parts = (size: number) => ({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: Array.from({ length: size }, () => ({ type: 'text', text: 'a' })),
        },
      ],
    })
    expect(growth(parts, adapter.read, { size: 4000 })).toBeLessThan(notLinear)
  })
})
