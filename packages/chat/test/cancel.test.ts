import { setTimeout as sleep } from 'node:timers/promises'
import { type Model, ollama, openaiCompatible, reader } from '@throughline/models'
import {
  expectGoesOn,
  inChat,
  kindsOf,
  newHistory,
  partsOf,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import {
  ollamaAnswer,
  openaiAnswer,
  startUpstream,
  type Upstream,
} from '@throughline/test-tools/scripted-upstream'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type ChatPart, createChat, defineTool } from '../src/index.ts'

let upstream: Upstream
afterEach(() => upstream.close())

const ollamaModel = (url: string) => ollama({ model: 'scripted', host: url, window: 4096 })
const good = ollamaAnswer([{ content: 'All well.' }])
const headers = good.headers
const begun = ollamaAnswer([{ content: 'Half an answer' }]).chunks.slice(0, 1)
const cancelled = '[The user cancelled this answer.]'

describe.each([
  { name: 'ollama', model: ollamaModel, answer: good, start: begun },
  {
    name: 'openai',
    model: (url: string): Model =>
      openaiCompatible({ baseURL: `${url}/v1`, model: 'scripted', window: 4096 }),
    answer: openaiAnswer([{ content: 'All well.' }]),
    start: openaiAnswer([{ content: 'Half an answer' }]).chunks.slice(0, 1),
  },
])('a turn that is cancelled, through the $name client,', ({ model, answer, start }) => {
  async function setUp() {
    upstream = await startUpstream([
      { chunks: start, headers: answer.headers, ending: 'stall' },
      { ...answer },
    ])
    const history = newHistory()
    const chat = createChat({ history, model: model(upstream.url) })
    return { chat, thread: history.thread('chat') }
  }

  it('by its signal ends as cancelled, and the upstream sees the client leave', async () => {
    const { chat, thread } = await setUp()
    const stop = new AbortController()
    const reply = chat.send('How are things?', { ...inChat, signal: stop.signal })
    const parts: ChatPart[] = []
    for await (const part of reply) {
      parts.push(part)
      if (part.type === 'text-delta') stop.abort()
    }
    expect(kindsOf(parts)).toEqual(['text-delta', 'end'])
    expect(parts.at(-1)).toMatchObject({ status: 'cancelled' })
    expect(await upstream.requests[0]!.ended).toBe('left')
    expect(await reply.result()).toMatchObject({ status: 'cancelled', text: 'Half an answer' })
    expect(await statusesOf(thread)).toEqual(['cancelled'])
    expect((await thread.context()).messages.at(-1)?.content).toBe(`Half an answer\n\n${cancelled}`)
    expect((await thread.display()).map(({ content }) => content)).toEqual([
      'How are things?',
      'Half an answer',
    ])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })

  it('by a reader that leaves the loop ends as cancelled too', async () => {
    const { chat, thread } = await setUp()
    const reply = chat.send('How are things?', inChat)
    for await (const part of reply) if (part.type === 'text-delta') break
    expect(await upstream.requests[0]!.ended).toBe('left')
    expect(await reply.result()).toMatchObject({
      status: 'cancelled',
      text: 'Half an answer',
      turn: 1,
    })
    expect(reply.messages).toEqual([{ role: 'assistant', content: 'Half an answer' }])
    expect(await statusesOf(thread)).toEqual(['cancelled'])
    await expectGoesOn(text => chat.send(text, inChat), thread)
  })
})

async function withScript(answers: Parameters<typeof startUpstream>[0]) {
  upstream = await startUpstream(answers)
  const history = newHistory()
  return { history, thread: history.thread('chat'), model: ollamaModel(upstream.url) }
}

it('writes nothing when it was cancelled before it began', async () => {
  const { history, thread, model } = await withScript([good])
  const chat = createChat({ history, model })
  const reply = chat.send('How are things?', { ...inChat, signal: AbortSignal.abort() })
  expect(kindsOf(await partsOf(reply))).toEqual(['end'])
  expect((await reply.result()).status).toBe('cancelled')
  expect(await thread.messages()).toEqual([])
  expect(upstream.requests).toEqual([])
})

it('is cancelled while it waits to try again', async () => {
  const { history, thread, model } = await withScript([{ status: 500, body: {} }, good])
  const chat = createChat({ history, model, backoffMs: 3_600_000 })
  const stop = new AbortController()
  const reply = chat.send('How are things?', { ...inChat, signal: stop.signal })
  for await (const part of reply) if (part.type === 'warning') setImmediate(() => stop.abort())
  expect((await reply.result()).status).toBe('cancelled')
  expect(upstream.requests).toHaveLength(1)
  await expectGoesOn(text => chat.send(text, inChat), thread)
})

it('is cancelled although the model does not listen', async () => {
  const { history, thread } = await withScript([])
  const deaf: Model = {
    name: 'deaf',
    window: async () => 4096,
    async *stream() {
      yield { type: 'text-delta', text: 'One moment' }
      await new Promise(() => {})
    },
  }
  const stop = new AbortController()
  const reply = createChat({ history, model: deaf }).send('Hello?', {
    ...inChat,
    signal: stop.signal,
  })
  for await (const part of reply) if (part.type === 'text-delta') setImmediate(() => stop.abort())
  expect(await reply.result()).toMatchObject({ status: 'cancelled', text: 'One moment' })
  expect(await statusesOf(thread)).toEqual(['cancelled'])
})

describe('while tools run', () => {
  const two = ollamaAnswer([
    {
      content: 'Let me see.',
      tool_calls: [
        { id: 'a', function: { name: 'quick', arguments: {} } },
        { id: 'b', function: { name: 'endless', arguments: {} } },
      ],
    },
  ])

  async function setUp() {
    const told: unknown[] = []
    const tools = [
      defineTool({ name: 'quick', input: z.object({}), run: () => 'done at once' }),
      defineTool({
        name: 'endless',
        input: z.object({}),
        run: (_, { signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => {
              told.push(signal.reason)
              reject(signal.reason)
            })
          }),
      }),
    ]
    const { history, thread, model } = await withScript([two, { ...good, headers }])
    return { chat: createChat({ history, model, tools }), thread, told }
  }

  it.each(['the signal', 'a reader that leaves'])(
    '%s stops them, and what was done is kept',
    async how => {
      const { chat, thread, told } = await setUp()
      const stop = new AbortController()
      const reply = chat.send('Do both.', { ...inChat, signal: stop.signal })
      for await (const part of reply) {
        if (part.type !== 'tool-result') continue
        if (how === 'the signal') stop.abort()
        else break
      }
      expect((await reply.result()).status).toBe('cancelled')
      expect(told).toHaveLength(1)
      const results = (await thread.messages()).filter(({ role }) => role === 'tool')
      expect(results.map(({ content }) => content)).toEqual(['done at once', 'Error: interrupted'])
      await expectGoesOn(text => chat.send(text, inChat), thread)
    },
  )

  it('the model is not asked again when the turn is cancelled', async () => {
    const { chat } = await setUp()
    for await (const part of chat.send('Do both.', inChat)) if (part.type === 'tool-result') break
    await sleep(20)
    expect(upstream.requests).toHaveLength(1)
  })
})

it('has its result for a reader that stops at the last part', async () => {
  const { history, thread, model } = await withScript([good, { status: 404, body: {} }])
  const chat = createChat({ history, model })
  const reply = chat.send('How are things?', inChat)
  for await (const part of reply) if (part.type === 'end') break
  expect(await reply.result()).toMatchObject({ status: 'completed', text: 'All well.' })
  const failing = chat.send('Again?', inChat)
  for await (const part of failing) if (part.type === 'error') break
  await expect(failing.result()).rejects.toMatchObject({ code: 'model_not_found' })
  expect(await statusesOf(thread)).toEqual(['completed', 'failed'])
})

describe('what the model is told of a turn that was cancelled', () => {
  async function cancelAndAsk(cancelledTurn?: 'keep' | 'disregard') {
    const { history, thread } = await withScript([])
    const model: Model = {
      name: 'slow',
      window: async () => 4096,
      async *stream() {
        yield { type: 'text-delta', text: 'One moment' }
        await new Promise(() => {})
      },
    }
    const chat = createChat({ history, model, ...(cancelledTurn && { cancelledTurn }) })
    for await (const part of chat.send('My locker code is 4471.', inChat))
      if (part.type === 'text-delta') break
    const { text } = await createChat({ history, model: reader() })
      .send('What is my locker code?', inChat)
      .result()
    return { text, told: (await thread.context()).messages[1]?.content }
  }

  it('is that its answer was cancelled: what the user said still counts', async () => {
    const { text, told } = await cancelAndAsk()
    expect(told).toBe('One moment\n\n[The user cancelled this answer.]')
    expect(text).toContain('4471')
  })

  it('is to disregard the turn, where the chat asks for it', async () => {
    const { told } = await cancelAndAsk('disregard')
    expect(told).toBe('One moment\n\n[Cancelled by the user — disregard this turn.]')
  })

  it('stands in the list of a client, who is the only one to keep it', async () => {
    await withScript([])
    for (const [cancelledTurn, content] of [
      ['keep', cancelled],
      ['disregard', '[Cancelled by the user — disregard this turn.]'],
    ] as const) {
      const stop = new AbortController()
      const silent: Model = {
        name: 'silent',
        window: async () => 4096,
        async *stream() {
          stop.abort()
          await new Promise(() => {})
        },
      }
      const chat = createChat({ model: silent, cancelledTurn })
      const reply = chat.respond([{ role: 'user', content: 'Hello?' }], { signal: stop.signal })
      const { messages } = await reply.result()
      expect(messages).toEqual([{ role: 'assistant', content }])
    }
  })
})
