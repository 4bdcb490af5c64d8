import { failureOf, partsOf, upstreamWith } from '@throughline/models/fixtures'
import { openaiAnswer, sse, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import { openaiUpstream } from './model-servers.ts'
import { opened } from './upstream.fixture.ts'

const messages = [{ role: 'user', content: 'hello' }]
const chat = '/v1/chat/completions'

async function speakTo(
  answers: Readonly<Record<string, UpstreamAnswer>>,
  options: { window?: number; apiKey?: string } = {},
) {
  const all: Readonly<Record<string, UpstreamAnswer>> = {
    [chat]: openaiAnswer([{ content: 'hi' }]),
    ...answers,
  }
  const wire = await upstreamWith(
    ({ path }) => all[path] ?? { status: 404, body: { error: 'no such path' } },
  )
  const upstream = opened(openaiUpstream({ url: `${wire.url}/v1`, ...options }))
  return { wire, upstream, askedPaths: () => wire.requests.map(({ path }) => path) }
}

const list = (...data: unknown[]): UpstreamAnswer => ({
  status: 200,
  body: { object: 'list', data },
})

describe('a reply', () => {
  it('ends with [DONE]: nothing behind it is waited for', async () => {
    const { chunks } = openaiAnswer([{ content: 'hi' }])
    const { upstream } = await speakTo({
      [chat]: { chunks: [...chunks, 'data: {'], ending: 'stall' },
    })
    expect((await partsOf(upstream.model('m').stream({ messages }))).at(-1)?.type).toBe('end')
  })

  it('has log probabilities with their text, and the times of llama.cpp at its end', async () => {
    const choice = (delta: object, more: object = {}) => ({
      model: 'm.gguf',
      choices: [{ index: 0, delta, ...more }],
    })
    const { upstream } = await speakTo({
      [chat]: {
        chunks: [
          sse(choice({ reasoning: 'hm' }, { logprobs: { content: [{ token: 'hm' }] } })),
          sse(choice({ content: 'hi' }, { logprobs: { content: [{ token: 'hi' }] } })),
          sse({
            ...choice({}, { finish_reason: 'stop' }),
            timings: { prompt_ms: 1.5, predicted_ms: 2 },
          }),
        ],
      },
    })
    const details = { model: 'm.gguf', prompt_eval_duration: 1_500_000, eval_duration: 2_000_000 }
    expect(await partsOf(upstream.model('m').stream({ messages }))).toEqual([
      { type: 'thinking-delta', text: 'hm' },
      { type: 'text-delta', text: 'hi', logprobs: [{ token: 'hi' }] },
      { type: 'end', reason: 'stop', usage: {}, details },
    ])
  })
})

it('sends what such servers know, with our own key', async () => {
  const { upstream, wire } = await speakTo({}, { apiKey: 'k1' })
  const provider = {
    top_p: 0.9,
    top_k: 3,
    keep_alive: '5m',
    num_keep: 4,
    stream: false,
    messages: [],
  }
  await partsOf(upstream.model('m').stream({ messages, settings: { maxTokens: 9, provider } }))
  expect(wire.requests[0]).toMatchObject({ path: chat, headers: { authorization: 'Bearer k1' } })
  expect(wire.requests[0]!.body).toEqual({
    ...{ model: 'm', messages, stream: true, stream_options: { include_usage: true } },
    ...{ max_tokens: 9, top_p: 0.9, top_k: 3 },
  })
})

describe('the window', () => {
  const models = '/v1/models'
  const props: UpstreamAnswer = {
    status: 200,
    body: { default_generation_settings: { n_ctx: 5120 } },
  }
  const instance = (id: string, context_length: number) => ({ id, config: { context_length } })
  const studio: UpstreamAnswer = {
    status: 200,
    body: {
      models: [
        null,
        { key: 'other', loaded_instances: [instance('other', 1)] },
        { key: 'm', loaded_instances: [instance('m:2', 2048), instance('m:3', 3072)] },
      ],
    },
  }
  it.each([
    ['vLLM', { [models]: list({ id: 'm', max_model_len: 6144 }) }, 6144],
    ['llama.cpp', { [models]: list({ id: 'm', meta: { n_ctx: 7168 } }) }, 7168],
    ['llama.cpp, by another name', { [models]: list({ id: 'm.gguf' }), '/props': props }, 5120],
    ['an older llama.cpp', { '/props': props }, 5120],
    ['LM Studio', { [models]: list({ id: 'm' }, { id: 'other' }), '/api/v1/models': studio }, 2048],
    ['others', { [models]: list({ id: 'm' }) }, undefined],
  ] as [string, Record<string, UpstreamAnswer>, number | undefined][])(
    'is told by %s',
    async (_, answers, expected) => {
      const { upstream, askedPaths } = await speakTo(answers)
      expect(await upstream.model('m').window()).toBe(expected)
      const questions = askedPaths().length
      expect(await upstream.model('m').window()).toBe(expected)
      expect(askedPaths().length).toBe(questions)
    },
  )

  it('is the configured one, and nobody is asked', async () => {
    const { upstream, askedPaths } = await speakTo({}, { window: 999 })
    expect(await upstream.model('m').window()).toBe(999)
    expect(askedPaths()).toEqual([])
  })

  it.each([
    [
      'llama.cpp',
      {
        error: {
          code: 400,
          message: 'x',
          type: 'exceed_context_size_error',
          n_prompt_tokens: 5001,
          n_ctx: 2048,
        },
      },
    ],
    [
      'vLLM',
      {
        object: 'error',
        message:
          "This model's maximum context length is 2048 tokens. However, you requested 5501 tokens (5001 in the messages, 500 in the completion).",
      },
    ],
    [
      'LM Studio',
      {
        error:
          'Trying to keep the first 5001 tokens when context the overflows. However, the model is loaded with context length of only 2048 tokens, which is not enough.',
      },
    ],
  ])('is learnt from a refusal of %s, whose counts are told', async (_, body) => {
    const { upstream } = await speakTo({ [chat]: { status: 400, body } }, { window: 4096 })
    const { error } = await failureOf(upstream.model('m').stream({ messages }))
    expect(error.code).toBe('context_too_long')
    expect(error.tokens).toEqual({ prompt: 5001, window: 2048 })
    expect(await upstream.model('m').window()).toBe(2048)
  })
})

it('lists the models', async () => {
  const { upstream } = await speakTo({
    '/v1/models': list({ id: 'a', max_model_len: 900 }, null, { id: 'b' }, { id: 5 }),
  })
  expect(await upstream.models()).toEqual([
    { name: 'a', window: 900, windowFrom: 'told by the server' },
    { name: 'b' },
  ])
  const { upstream: other } = await speakTo({ '/v1/models': { status: 200, body: '<html>' } })
  await expect(other.models()).rejects.toMatchObject({ code: 'model_refused' })
})

describe('an exact count', () => {
  const llama = '/v1/chat/completions/input_tokens'
  const counts = (body: unknown): UpstreamAnswer => ({ status: 200, body })
  const tools = [{ name: 'look', parameters: {} }]

  it.each([
    ['llama.cpp', { [llama]: counts({ input_tokens: 11 }) }, 11, [llama, llama]],
    [
      'vLLM',
      { '/tokenize': counts({ count: 12, tokens: [] }) },
      12,
      [llama, '/tokenize', '/tokenize'],
    ],
    [
      'an older llama.cpp',
      { '/tokenize': counts({ tokens: [] }) },
      undefined,
      [llama, '/tokenize'],
    ],
    [
      'LM Studio',
      { [llama]: counts({ error: 'unexpected' }), '/tokenize': counts({ error: 'unexpected' }) },
      undefined,
      [llama, '/tokenize'],
    ],
    ['a server that refuses the prompt', { [llama]: { status: 400 } }, undefined, [llama, llama]],
    ['others', {}, undefined, [llama, '/tokenize']],
  ] as [string, Record<string, UpstreamAnswer>, number | undefined, string[]][])(
    'is asked of %s in the way that it knows',
    async (_, answers, count, paths) => {
      const { upstream, askedPaths, wire } = await speakTo(answers)
      for (let at = 0; at < 2; at++)
        expect(await upstream.count?.('m', { messages, tools })).toBe(count)
      expect(askedPaths()).toEqual(paths)
      expect(wire.requests.at(-1)!.body).toMatchObject({
        model: 'm',
        messages,
        tools: [{ type: 'function' }],
      })
    },
  )

  it('is an error of ours if the server is not there', async () => {
    const { upstream, wire } = await speakTo({})
    await wire.close()
    await expect(upstream.count?.('m', { messages })).rejects.toMatchObject({
      code: 'model_unavailable',
    })
  })
})
