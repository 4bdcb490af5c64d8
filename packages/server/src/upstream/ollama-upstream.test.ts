import { failureOf, partsOf, upstreamWith } from '@throughline/models/fixtures'
import type { ModelSettings } from '@throughline/models/model'
import { ollamaAnswer, type UpstreamAnswer } from '@throughline/test-tools/scripted-upstream'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream } from './model-servers.ts'
import { opened } from './upstream.fixture.ts'

const messages = [{ role: 'user', content: 'hello' }]
const nothingLoaded: UpstreamAnswer = { status: 200, body: { models: [] } }
const loaded = (name: string, context_length: number): UpstreamAnswer => ({
  status: 200,
  body: { models: [{ name, model: name, context_length }] },
})

/** A scripted Ollama with these answers by path, spoken to through the upstream. */
async function speakTo(
  answers: Readonly<Record<string, UpstreamAnswer>>,
  options: { window?: number; apiKey?: string } = {},
) {
  const all: Readonly<Record<string, UpstreamAnswer>> = {
    '/api/ps': nothingLoaded,
    '/api/show': { status: 200, body: {} },
    '/api/chat': ollamaAnswer([{ content: 'hi' }]),
    ...answers,
  }
  const wire = await upstreamWith(({ path }) => all[path])
  const upstream = opened(ollamaUpstream({ url: wire.url, ...options }))
  const chats = () => wire.requests.filter(({ path }) => path === '/api/chat')
  const bodies = () => chats().map(({ body }) => body as Record<string, unknown>)
  return { wire, upstream, chats, bodies }
}

describe('a reply', () => {
  it('ends with the line that is done: nothing behind it is waited for or read', async () => {
    const { chunks } = ollamaAnswer([{ content: 'hi' }])
    const { upstream } = await speakTo({
      '/api/chat': { chunks: [...chunks, '17\n'], ending: 'stall' },
    })
    expect((await partsOf(upstream.model('m').stream({ messages }))).at(-1)?.type).toBe('end')
  })

  it('has log probabilities with their text, and the last line’s details at its end', async () => {
    const lines = [
      { message: { content: '', thinking: 'so' }, logprobs: [{ token: 'so' }] },
      { message: { content: 'hi' }, logprobs: [{ token: 'hi', logprob: -0.5 }] },
      {
        message: { content: '' },
        done: true,
        done_reason: 'length',
        total_duration: 9,
        model: 'm:1',
        odd: [1],
      },
    ]
    const { upstream } = await speakTo({
      '/api/chat': { chunks: lines.map(line => `${JSON.stringify(line)}\n`) },
    })
    const details = { model: 'm:1', done_reason: 'length', total_duration: 9 }
    expect(await partsOf(upstream.model('m').stream({ messages }))).toEqual([
      { type: 'thinking-delta', text: 'so' },
      { type: 'text-delta', text: 'hi', logprobs: [{ token: 'hi', logprob: -0.5 }] },
      { type: 'end', reason: 'length', usage: {}, details },
    ])
  })
})

describe('the request', () => {
  it('never lets Ollama cut the prompt, and never loads a model again', async () => {
    const { upstream, bodies } = await speakTo({ '/api/ps': loaded('m:latest', 6144) })
    const settings: ModelSettings = {
      temperature: 0.5,
      maxTokens: 9,
      provider: {
        ...{
          top_p: 0.9,
          keep_alive: '5m',
          logprobs: true,
          top_logprobs: 2,
          num_ctx: 1,
          num_gpu: 2,
        },
        ...{ truncate: true, shift: true, stream: false, model: 'other', messages: [] },
        options: { top_k: 3, num_ctx: 2, num_thread: 4, use_mmap: false },
      },
    }
    await partsOf(upstream.model('m').stream({ messages, settings }))
    expect(bodies()).toEqual([
      {
        model: 'm',
        messages: [{ role: 'user', content: 'hello' }],
        stream: true,
        truncate: false,
        shift: false,
        keep_alive: '5m',
        logprobs: true,
        top_logprobs: 2,
        options: { temperature: 0.5, num_predict: 9, top_p: 0.9, top_k: 3, num_ctx: 6144 },
      },
    ])
  })

  it('has our own key', async () => {
    const { upstream, chats } = await speakTo({}, { apiKey: 'k1' })
    await partsOf(upstream.model('m').stream({ messages }))
    expect(chats()[0]!.headers.authorization).toBe('Bearer k1')
  })

  it('goes over connections that stay open', async () => {
    const { upstream, wire } = await speakTo({ '/api/ps': loaded('m:latest', 6144) })
    for (let at = 0; at < 20; at++) await partsOf(upstream.model('m').stream({ messages }))
    expect(wire.requests.length).toBe(21)
    // A request may begin while the end of the answer before it is still on its way.
    expect(new Set(wire.requests.map(({ port }) => port)).size).toBeLessThanOrEqual(2)
  })
})

describe('the window', () => {
  it.each([
    ['that of the loaded model', loaded('m:latest', 6144), 8192, 'num_ctx 1024', 6144],
    ['the configured one', nothingLoaded, 8192, 'num_ctx 1024', 8192],
    ['the Modelfile’s', nothingLoaded, undefined, 'num_ctx 1024', 1024],
    ['the server’s own, which is not sent', nothingLoaded, undefined, '', undefined],
  ])('is %s', async (_, ps, window, parameters, expected) => {
    const show: UpstreamAnswer = { status: 200, body: { parameters } }
    const { upstream, bodies } = await speakTo(
      { '/api/ps': ps, '/api/show': show },
      window ? { window } : {},
    )
    expect(await upstream.model('m').window()).toBe(expected)
    await partsOf(upstream.model('m').stream({ messages }))
    expect(bodies()[0]!.options).toEqual(expected === undefined ? {} : { num_ctx: expected })
  })

  it('is asked for once, whoever asks', async () => {
    const { upstream, wire } = await speakTo({ '/api/ps': loaded('m:latest', 6144) })
    await Promise.all([
      upstream.model('m').window(),
      partsOf(upstream.model('m').stream({ messages })),
    ])
    await partsOf(upstream.model('m').stream({ messages }))
    expect(wire.requests.filter(({ path }) => path === '/api/ps').length).toBe(1)
  })

  it('is learnt from a refusal, whose counts are told', async () => {
    const inner = {
      error: {
        message: 'x',
        type: 'exceed_context_size_error',
        n_prompt_tokens: 5001,
        n_ctx: 2048,
      },
    }
    const { upstream, bodies } = await speakTo(
      { '/api/chat': { status: 400, body: { error: JSON.stringify(inner) } } },
      { window: 4096 },
    )
    const { error } = await failureOf(upstream.model('m').stream({ messages }))
    expect(error).toMatchObject({ code: 'context_too_long', status: 400 })
    expect(error.tokens).toEqual({ prompt: 5001, window: 2048 })
    expect(await upstream.model('m').window()).toBe(2048)
    await failureOf(upstream.model('m').stream({ messages }))
    expect(bodies().map(({ options }) => options)).toEqual([{ num_ctx: 4096 }, { num_ctx: 2048 }])
  })

  it('is forgotten with a model that is not there: it may come', async () => {
    const { upstream, wire } = await speakTo({
      '/api/chat': { status: 404, body: { error: 'not found' } },
    })
    for (let at = 0; at < 2; at++)
      expect((await failureOf(upstream.model('m').stream({ messages }))).error.code).toBe(
        'model_not_found',
      )
    expect(wire.requests.filter(({ path }) => path === '/api/ps').length).toBe(2)
  })
})

it('lists the models, with the windows of those in memory', async () => {
  const tags: UpstreamAnswer = {
    status: 200,
    body: { models: [{ name: 'a:latest' }, { name: 'b:1b' }, 7, null] },
  }
  const { upstream } = await speakTo({ '/api/tags': tags, '/api/ps': loaded('a:latest', 6144) })
  expect(await upstream.models()).toEqual([
    { name: 'a:latest', window: 6144, windowFrom: 'of the loaded model' },
    { name: 'b:1b' },
  ])
})
