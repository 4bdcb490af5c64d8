import { inspect } from 'node:util'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import {
  type LanguageModelV2,
  type LanguageModelV3,
  type LanguageModelV3StreamPart,
  LoadAPIKeyError,
} from '@ai-sdk/provider'
import { afterEach, describe, expect, it } from 'vitest'
import { ModelError, type ModelPart, type ModelRequest } from '../../model.ts'
import { aiSdk } from './ai-sdk.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import { type FakeReply, type FakeUpstream, startUpstream } from './upstream.fixture.ts'

const upstreams: FakeUpstream[] = []
afterEach(async () => {
  for (const upstream of upstreams.splice(0)) await upstream.close()
})

async function modelAt(answer: (call: number) => FakeReply) {
  const upstream = await startUpstream((_, call) => answer(call))
  upstreams.push(upstream)
  const real = createOpenAICompatible({ name: 'local', baseURL: upstream.url, includeUsage: true })
  return { upstream, real: real('qwen3') }
}

const hello: ModelRequest = { messages: [{ role: 'user', content: 'the secret word is heron' }] }

async function collect(model: AiSdkModel, request: ModelRequest = hello): Promise<ModelPart[]> {
  const parts: ModelPart[] = []
  for await (const part of aiSdk(model).stream(request)) parts.push(part)
  return parts
}

const failure = (run: Promise<unknown>): Promise<ModelError> =>
  run.then(
    () => expect.unreachable('it must fail'),
    error => error,
  )

describe('a reply', () => {
  it('comes as text, thinking, whole calls and an end with what was read and written', async () => {
    const calls = [{ name: 'berths', arguments: { free: true } }]
    const { real } = await modelAt(() => ({ thinking: 'Hm.', text: ['Let me ', 'see.'], calls }))
    expect(await collect(real)).toEqual([
      { type: 'thinking-delta', text: 'Hm.' },
      { type: 'text-delta', text: 'Let me ' },
      { type: 'text-delta', text: 'see.' },
      { type: 'tool-call', id: 'call_berths_0', name: 'berths', arguments: '{"free":true}' },
      {
        type: 'end',
        reason: 'tool-calls',
        usage: { promptTokens: 11, replyTokens: 7, cachedTokens: 3 },
      },
    ])
  })

  it('knows its name, and the window that it was told', async () => {
    const { real } = await modelAt(() => ({}))
    expect(aiSdk(real).name).toBe('qwen3')
    expect(aiSdk(real, { name: 'mine' }).name).toBe('mine')
    expect(await aiSdk(real, { window: 4096 }).window()).toBe(4096)
    expect(await aiSdk(real).window()).toBeUndefined()
  })

  it('is read from a model of AI SDK 5 as well', async () => {
    const parts = [
      { type: 'text-delta', id: '0', delta: 'Hello' },
      { type: 'tool-call', toolCallId: 'a', toolName: 'now', input: '' },
      {
        type: 'finish',
        finishReason: 'stop',
        usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7, cachedInputTokens: 4 },
      },
    ] as const
    const model = { ...told([...parts]), specificationVersion: 'v2' } as unknown as LanguageModelV2
    expect(await collect(model)).toEqual([
      { type: 'text-delta', text: 'Hello' },
      { type: 'tool-call', id: 'a', name: 'now', arguments: '{}' },
      { type: 'end', reason: 'stop', usage: { promptTokens: 5, replyTokens: 2, cachedTokens: 4 } },
    ])
  })

  it('leaves out the calls that the provider ran itself', async () => {
    const parts = await collect(
      told([
        {
          type: 'tool-call',
          toolCallId: 'a',
          toolName: 'search',
          input: '{}',
          providerExecuted: true,
        },
        { type: 'tool-result', toolCallId: 'a', toolName: 'search', result: 'found' },
        finish('stop', 'stop'),
      ]),
    )
    expect(parts.map(part => part.type)).toEqual(['end'])
  })
})

describe('a request', () => {
  it('takes settings from the model and, before them, from the request', async () => {
    const { real, upstream } = await modelAt(() => ({ text: ['ok'] }))
    const model = aiSdk(real, { settings: { temperature: 0.1, seed: 7, thinking: 'low' } })
    const tool = {
      name: 'now',
      description: 'the time',
      parameters: { type: 'object', properties: {} },
    }
    const settings = { temperature: 0.9, maxTokens: 50, stop: ['END'], format: 'json' as const }
    for await (const _ of model.stream({ ...hello, tools: [tool], settings })) void _
    expect(upstream.bodies[0]).toMatchObject({
      model: 'qwen3',
      temperature: 0.9,
      seed: 7,
      max_tokens: 50,
      stop: ['END'],
      reasoning_effort: 'low',
      response_format: { type: 'json_object' },
      tools: [{ type: 'function', function: tool }],
    })
  })

  it('says nothing of what it was not told', async () => {
    const { real, upstream } = await modelAt(() => ({ text: ['ok'] }))
    await collect(real)
    expect(Object.keys(upstream.bodies[0]!).sort()).toEqual([
      'messages',
      'model',
      'stream',
      'stream_options',
    ])
  })
})

describe('a failure', () => {
  it.each([
    [429, {}, 'model_busy', true],
    [500, {}, 'model_unavailable', true],
    [529, {}, 'model_unavailable', true],
    [404, {}, 'model_not_found', false],
    [401, {}, 'model_refused', false],
    [400, { message: 'no such setting' }, 'model_refused', false],
    [400, { message: 'input image exceeds 5 MB' }, 'model_refused', false],
    [
      400,
      { message: "This model's maximum context length is 4096 tokens." },
      'context_too_long',
      false,
    ],
    [400, { message: 'prompt is too long: 5000 tokens' }, 'context_too_long', false],
    [400, { message: 'no', code: 'context_length_exceeded' }, 'context_too_long', false],
    [400, { message: 'no', type: 'exceed_context_size_error' }, 'context_too_long', false],
    [
      400,
      { message: 'The input token count (9) exceeds the maximum number of tokens' },
      'context_too_long',
      false,
    ],
  ])('%i %j is %s', async (status, error, code, isRetryable) => {
    const { real } = await modelAt(() => ({ status, error }))
    expect(await failure(collect(real))).toMatchObject({ code, status, isRetryable })
  })

  it('says how long to wait', async () => {
    const { real } = await modelAt(() => ({ status: 429, headers: { 'retry-after': '2' } }))
    expect(await failure(collect(real))).toMatchObject({ retryAfterMs: 2000 })
  })

  it('never holds what was sent, not even where the provider quotes it', async () => {
    const { real } = await modelAt(() => ({
      status: 400,
      error: { message: 'cannot read "the secret word is heron"', code: 'bad_request' },
    }))
    const error = await failure(collect(real))
    expect(error.message).toMatch(
      /^Model "qwen3" refused the request \(400, bad_request\) \(its words repeat/,
    )
    const seen = [
      error.message,
      String(error.stack),
      JSON.stringify(error),
      String(error.cause),
    ].join()
    expect(seen).not.toContain('heron')
  })

  it('says what the provider says, but for the key', async () => {
    const { real } = await modelAt(call => ({
      status: call === 1 ? 400 : 401,
      error: { message: 'top_k is odd' },
    }))
    expect((await failure(collect(real))).message).toContain('(400): "top_k is odd". Check the')
    expect((await failure(collect(real))).message).not.toContain('top_k')
  })

  it('is the provider’s own where it never asked: its words, and itself as the cause', async () => {
    const missing = new LoadAPIKeyError({
      message: 'OpenAI API key is missing. Set OPENAI_API_KEY.',
    })
    for (const own of [missing, new Error('the tunnel to the harbour is shut')]) {
      const model = { ...told([]), doStream: () => Promise.reject(own) }
      const error = await failure(collect(model))
      expect(error).toMatchObject({ code: 'model_refused', isRetryable: false })
      expect(error.message).toContain(`: "${own.message}"`)
      expect(error.cause).toBe(own)
    }
  })

  it('keeps of a cause that holds the request only what may be shown', async () => {
    const { real } = await modelAt(() => ({
      status: 500,
      error: { message: 'runner has crashed' },
    }))
    const { cause } = await failure(collect(real))
    expect(cause).toMatchObject({ name: 'AI_APICallError', message: 'runner has crashed' })
    expect((cause as Error).stack).toContain('    at ')
    expect(inspect(cause, { depth: 9, showHidden: true })).not.toMatch(/heron|requestBodyValues/)
    const inner = new TypeError('bad port', {
      cause: new Error('you said: the secret word is heron'),
    })
    const outer = Object.assign(new Error('no way there', { cause: inner }), { prompt: 'heron' })
    const wrapped = await failure(collect({ ...told([]), doStream: () => Promise.reject(outer) }))
    expect(wrapped.cause).toMatchObject({ message: 'no way there', cause: { message: 'bad port' } })
    expect(inspect(wrapped, { depth: 9, showHidden: true })).not.toContain('heron')
  })

  it('shows no key that stands in an error', async () => {
    const own = new Error('the key sk-proj-Ab3dEf6hIj9k was refused, so was Bearer a1b2c3d4e5f6')
    const error = await failure(collect({ ...told([]), doStream: () => Promise.reject(own) }))
    expect(error.message).toContain('"the key … was refused, so was Bearer …"')
    expect(inspect(error, { depth: 9, showHidden: true })).not.toMatch(/Ab3d|c3d4/)
  })

  it('does not quote a reply that could not be read', async () => {
    const error = Object.assign(new Error('cannot read: a secret reply'), {
      name: 'AI_JSONParseError',
    })
    const broken = await failure(collect(told([{ type: 'error', error }])))
    expect(broken).toMatchObject({
      code: 'model_stream_broken',
      message: expect.stringContaining('JSONParse'),
    })
    expect(broken.message).not.toContain('secret')
  })

  it.each(['quietly', 'reset', 'error event'] as const)(
    'a stream that is cut (%s) has broken',
    async cut => {
      const { real } = await modelAt(() => ({ text: ['Berth'], cut }))
      const parts: ModelPart[] = []
      const run = (async () => {
        for await (const part of aiSdk(real).stream(hello)) parts.push(part)
      })()
      expect(await failure(run)).toMatchObject({ code: 'model_stream_broken', isRetryable: true })
      expect(parts).toEqual([{ type: 'text-delta', text: 'Berth' }])
    },
  )

  it.each([
    ['no finish', []],
    ['a finish that nobody gave', [finish('other', undefined)]],
    ['a finish by error', [finish('error', 'error')]],
  ])('a stream with %s has broken', async (_, parts) => {
    expect(await failure(collect(told(parts)))).toMatchObject({ code: 'model_stream_broken' })
  })

  it('nobody at the address is unavailable', async () => {
    const { real, upstream } = await modelAt(() => ({}))
    upstreams.splice(0)
    await upstream.close()
    expect(await failure(collect(real))).toMatchObject({
      code: 'model_unavailable',
      isRetryable: true,
    })
    expect(await failure(collect(real))).toBeInstanceOf(ModelError)
  })

  it('is told at once for what is no model', () => {
    expect(() => aiSdk(told([]), { window: 0 })).toThrow(/"window": must be/)
    expect(() => aiSdk('gpt-5' as never)).toThrow(
      /"model": expected a language model .* got a text/,
    )
  })
})

describe('leaving', () => {
  it('by the signal throws its reason as it is, and the server sees it', async () => {
    const { real, upstream } = await modelAt(() => ({ text: ['Berth'], cut: 'never' }))
    const controller = new AbortController()
    const reason = new Error('the user left')
    const run = (async () => {
      for await (const _ of aiSdk(real).stream({ ...hello, signal: controller.signal }))
        controller.abort(reason)
    })()
    expect(await failure(run)).toBe(reason)
    await upstream.left
  })

  it('before anything was sent sends nothing', async () => {
    const { real, upstream } = await modelAt(() => ({ text: ['ok'] }))
    const reason = new Error('too late')
    expect(await failure(collect(real, { ...hello, signal: AbortSignal.abort(reason) }))).toBe(
      reason,
    )
    expect(upstream.bodies).toEqual([])
  })

  it('by breaking off the loop stops the server too', async () => {
    const { real, upstream } = await modelAt(() => ({ text: ['Berth'], cut: 'never' }))
    for await (const part of aiSdk(real).stream(hello)) {
      expect(part).toEqual({ type: 'text-delta', text: 'Berth' })
      break
    }
    await upstream.left
  })
})

function finish(
  unified: 'stop' | 'other' | 'error',
  raw: string | undefined,
): Extract<LanguageModelV3StreamPart, { type: 'finish' }> {
  const inputTokens = { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }
  const usage = { inputTokens, outputTokens: { total: 1, text: 1, reasoning: 0 } }
  return { type: 'finish', finishReason: { unified, raw }, usage }
}

/** A model that says these parts, for what no HTTP provider at hand says. */
function told(parts: readonly object[]): LanguageModelV3 {
  return {
    specificationVersion: 'v3',
    provider: 'told',
    modelId: 'told',
    supportedUrls: {},
    doGenerate: () => Promise.reject(new Error('not asked for')),
    doStream: async () => ({
      stream: new ReadableStream<LanguageModelV3StreamPart>({
        start(controller) {
          for (const part of parts) controller.enqueue(part as LanguageModelV3StreamPart)
          controller.close()
        },
      }),
    }),
  }
}
