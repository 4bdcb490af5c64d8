import { type Model, ollama, openaiCompatible } from '@throughline/models'
import {
  errorIn,
  expectGoesOn,
  inChat,
  kindsOf,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
  warningsIn,
} from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  openaiAnswer,
  sse,
  startUpstream,
  type Upstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { afterEach, describe, expect, it } from 'vitest'
import { createChat } from '../src/index.ts'

let upstream: Upstream
afterEach(() => upstream.close())

/** Both clients, with the answers as their servers write them. */
interface Wire {
  readonly name: string
  model(url: string): Model
  readonly good: ReturnType<typeof ollamaAnswer>
  /** The beginning of an answer: two words, and no end. */
  readonly begun: readonly string[]
  readonly errorLine: string
  readonly badLine: string
}

const wires: readonly Wire[] = [
  {
    name: 'ollama',
    model: url => ollama({ model: 'scripted', host: url, window: 4096 }),
    good: ollamaAnswer([{ content: 'All ' }, { content: 'well.' }]),
    begun: ollamaAnswer([{ content: 'Half an ' }, { content: 'answer' }]).chunks.slice(0, 2),
    errorLine: '{"error":"the runner has died"}\n',
    badLine: '{"message":{"content":"oh\n',
  },
  {
    name: 'openai',
    model: url => openaiCompatible({ baseURL: `${url}/v1`, model: 'scripted', window: 4096 }),
    good: openaiAnswer([{ content: 'All ' }, { content: 'well.' }]),
    begun: openaiAnswer([{ content: 'Half an ' }, { content: 'answer' }]).chunks.slice(0, 2),
    errorLine: sse({ error: { message: 'the runner has died', type: 'server_error' } }),
    badLine: 'data: {"choices":[{"delta":\n\n',
  },
]

describe.each(wires)('through the $name client', wire => {
  const { good } = wire

  async function play(
    first: readonly UpstreamAnswer[],
    options: { retries?: number; stallMs?: number } = {},
  ) {
    const headers = good.headers
    const script = first.map(answer => ('chunks' in answer ? { headers, ...answer } : answer))
    upstream = await startUpstream((_, at) => script[at] ?? good)
    const history = newHistory()
    const chat = createChat({ history, model: wire.model(upstream.url), backoffMs: 1, ...options })
    const thread = history.thread('chat')
    const reply = chat.send('How are things?', inChat)
    const parts = await partsOf(reply)
    const asked = upstream.requests.length
    return {
      chat,
      thread,
      reply,
      parts,
      asked,
      goesOn: () => expectGoesOn(text => chat.send(text, inChat), thread),
    }
  }

  it.each<[string, UpstreamAnswer]>([
    ['429', { status: 429, headers: { 'retry-after': '0' }, body: { error: 'busy' } }],
    ['500', { status: 500, body: { error: 'oh' } }],
    ['503', { status: 503, body: { error: 'loading' } }],
    ['a reset before the first byte', { ending: 'reset' }],
    ['a reset after the headers', { chunks: [], ending: 'reset' }],
    ['an end before the first word', { chunks: [] }],
    ['an error line at the beginning', { chunks: [wire.errorLine] }],
    ['a line that cannot be read at the beginning', { chunks: [wire.badLine] }],
  ])('tries again after %s', async (_, fault) => {
    const { parts, asked, thread, goesOn } = await play([fault, fault])
    expect(asked).toBe(3)
    expect(kindsOf(parts)).toEqual(['warning', 'text-delta', 'end'])
    expect(warningsIn(parts)).toEqual(['retrying', 'retrying'])
    expect(shownIn(parts)).toBe('All well.')
    expect(await upstream.requests[2]!.ended).toBe('whole')
    expect(await statusesOf(thread)).toEqual(['completed'])
    await goesOn()
  })

  it('waits as long as the provider asks', async () => {
    const { parts } = await play([{ status: 429, headers: { 'retry-after': '0.02' }, body: {} }])
    expect(JSON.stringify(parts)).toContain('Trying again in 20 ms (1 of 3)')
  })

  it.each([
    [400, 'model_refused'],
    [401, 'model_refused'],
    [403, 'model_refused'],
    [404, 'model_not_found'],
  ])('does not try again after %i', async (status, code) => {
    const { parts, asked, thread, reply, goesOn } = await play([{ status, body: { error: 'no' } }])
    expect(asked).toBe(1)
    expect(kindsOf(parts)).toEqual(['error', 'end'])
    expect(errorIn(parts)).toMatchObject({ code, status })
    expect(parts.at(-1)).toMatchObject({ type: 'end', status: 'failed', turn: 1 })
    await expect(reply.result()).rejects.toMatchObject({ code })
    expect(await thread.turns()).toMatchObject([{ status: 'failed', error: code }])
    await goesOn()
    expect((await thread.display()).map(({ content }) => content)).toEqual([
      'How are things?',
      'And now?',
      'All well.',
    ])
  })

  it('gives up when it has tried often enough', async () => {
    const { parts, asked, thread, goesOn } = await play(Array(3).fill({ status: 500, body: {} }), {
      retries: 2,
    })
    expect(asked).toBe(3)
    expect(errorIn(parts)?.code).toBe('model_unavailable')
    expect(await statusesOf(thread)).toEqual(['failed'])
    await goesOn()
  })

  it('never tries again with retries: 0', async () => {
    const { asked, thread, goesOn } = await play([{ status: 500, body: {} }], { retries: 0 })
    expect(asked).toBe(1)
    expect(await statusesOf(thread)).toEqual(['failed'])
    await goesOn()
  })

  it.each<[string, UpstreamAnswer]>([
    ['a reset', { chunks: wire.begun, ending: 'reset' }],
    ['an early end', { chunks: wire.begun }],
    ['an error line', { chunks: [...wire.begun, wire.errorLine] }],
    ['bad JSON', { chunks: [...wire.begun, wire.badLine] }],
  ])('keeps what arrived before %s in mid-stream, and does not ask again', async (_, fault) => {
    const { parts, asked, thread, reply, goesOn } = await play([fault])
    expect(asked).toBe(1)
    expect(kindsOf(parts)).toEqual(['text-delta', 'error', 'end'])
    expect(errorIn(parts)?.code).toBe('model_stream_broken')
    expect(parts.at(-1)).toMatchObject({ status: 'interrupted' })
    expect(await statusesOf(thread)).toEqual(['interrupted'])
    const shown = shownIn(parts)
    expect((await thread.display()).map(({ content }) => content)).toEqual([
      'How are things?',
      shown,
    ])
    expect(shown).toMatch(/^Half an (answer)?$/)
    expect(reply.messages).toEqual([{ role: 'assistant', content: shown }])
    expect((await thread.context()).messages.at(-1)?.content).toBe(`${shown}\n\n[Interrupted.]`)
    await goesOn()
  })

  it('ends a stall before the first word, and tries again', async () => {
    const { parts, asked, thread, goesOn } = await play([{ ending: 'stall' }], { stallMs: 1000 })
    expect(asked).toBe(2)
    expect(warningsIn(parts)).toEqual(['retrying'])
    expect(await upstream.requests[0]!.ended).toBe('left')
    expect(await statusesOf(thread)).toEqual(['completed'])
    await goesOn()
  })

  it('ends a stall in mid-stream, and keeps what arrived', async () => {
    const { parts, asked, thread, goesOn } = await play([{ chunks: wire.begun, ending: 'stall' }], {
      stallMs: 1000,
    })
    expect(asked).toBe(1)
    expect(errorIn(parts)?.code).toBe('model_stalled')
    expect(shownIn(parts)).toBe('Half an answer')
    expect(await upstream.requests[0]!.ended).toBe('left')
    expect(await statusesOf(thread)).toEqual(['interrupted'])
    await goesOn()
  })

  it('hands the client what closes a turn that failed, when nothing is stored', async () => {
    upstream = await startUpstream([
      { chunks: wire.begun, headers: good.headers, ending: 'reset' },
      good,
    ])
    const chat = createChat({ model: wire.model(upstream.url) })
    const messages = [{ role: 'user', content: 'How are things?' }]
    const reply = chat.respond(messages)
    const shown = shownIn(await partsOf(reply))
    await expect(reply.result()).rejects.toMatchObject({ code: 'model_stream_broken' })
    expect(reply.messages.map(({ content }) => content)).toEqual([`${shown}\n\n[Interrupted.]`])
    const next = [...messages, ...reply.messages, { role: 'user', content: 'And now?' }]
    expect((await chat.respond(next).result()).text).toBe('All well.')
  })
})

it('finds the window before it asks, and tries that again too', async () => {
  const good = ollamaAnswer([{ content: 'All well.' }])
  upstream = await startUpstream((request, at) =>
    at < 2 ? { ending: 'stall' } : request.path === '/api/chat' ? good : { status: 404, body: {} },
  )
  const history = newHistory()
  const model = ollama({ model: 'scripted', host: upstream.url })
  const chat = createChat({ history, model, backoffMs: 1, stallMs: 1000 })
  expect((await chat.send('How are things?', inChat).result()).text).toBe('All well.')
  expect(upstream.requests.map(({ path }) => path)).toEqual([
    '/api/ps',
    '/api/ps',
    '/api/ps',
    '/api/show',
    '/api/chat',
  ])
})
