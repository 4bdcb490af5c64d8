import { upstreamWith } from '@throughline/models/fixtures'
import { ollamaAnswer } from '@throughline/test-tools/scripted-upstream'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'
import { startScripted } from './scripted-server.ts'

const system = 'You keep the harbour in order. '.repeat(1084)
const long = 'The tide tables of the year follow. '.repeat(900)
const tools = Array.from({ length: 40 }, (_, n) => ({
  name: `tool_${n}`,
  description: `Does the work number ${n} of the harbour. ${'It is done with great care. '.repeat(12)}`,
  schema: {
    type: 'object',
    properties: { berth: { type: 'string', description: 'The berth. Such as A1.' } },
  },
}))

/** The same request in the form of each adapter. */
interface Said {
  readonly system?: string
  readonly user?: string
  readonly hasTools?: boolean
}

const functions = tools.map(({ name, description, schema: parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
}))

const chat = ({ system, user = 'hello', hasTools }: Said) => ({
  model: 'm',
  max_tokens: 32_000,
  messages: [
    ...(system === undefined ? [] : [{ role: 'system', content: system }]),
    { role: 'user', content: user },
  ],
  ...(hasTools && { tools: functions }),
})

const adapters = [
  {
    path: '/api/chat',
    // Ollama streams by default: its log and its record would come behind the head of the response.
    bodyOf: (said: Said) => ({ ...chat(said), stream: false, options: { num_predict: 32_000 } }),
    errorOf: (body: Fields) => JSON.parse(String(body.error)).error as Fields,
    expected: { code: 400, type: 'exceed_context_size_error', n_ctx: 4096 },
  },
  {
    path: '/v1/chat/completions',
    bodyOf: chat,
    errorOf: (body: Fields) => body.error as Fields,
    expected: { type: 'invalid_request_error', code: 'context_length_exceeded' },
  },
  {
    path: '/v1/responses',
    bodyOf: ({ system: instructions, user: input = 'hello', hasTools }: Said) => ({
      ...{ model: 'm', instructions, input, max_output_tokens: 32_000 },
      ...(hasTools && { tools: functions.map(({ type, function: spec }) => ({ type, ...spec })) }),
    }),
    errorOf: (body: Fields) => body.error as Fields,
    expected: { type: 'invalid_request_error', code: 'context_length_exceeded' },
  },
  {
    path: '/v1/messages',
    bodyOf: ({ system, user: content = 'hello', hasTools }: Said) => ({
      ...{ model: 'm', max_tokens: 32_000, system, messages: [{ role: 'user', content }] },
      ...(hasTools && {
        tools: tools.map(({ name, description, schema }) => ({
          name,
          description,
          input_schema: schema,
        })),
      }),
    }),
    errorOf: (body: Fields) => body.error as Fields,
    expected: { type: 'invalid_request_error' },
  },
] as const

type Fields = Record<string, unknown>

const fine = () => ollamaAnswer([{ content: 'Aye.' }])

async function start(options: Parameters<typeof startScripted>[1] = {}) {
  const server = await startScripted(fine, options)
  const ask = (path: string, body: object) =>
    fetch(`${server.url}${path}`, { method: 'POST', body: JSON.stringify(body) })
  const chats = () =>
    server.scripted.requests
      .filter(({ path }) => path === '/api/chat')
      .map(({ body }) => body as Fields)
  return { ...server, ask, chats }
}

describe.each(adapters)('$path', ({ path, bodyOf, errorOf, expected }) => {
  it.each([['a message', { user: long }, /latest \d+|first \d+/]] as const)(
    'refuses %s that does not fit, with figures, and stores nothing',
    async (_, said, part) => {
      const { ask, chats, lines, served } = await start()
      for (const stream of [false, true]) {
        const response = await ask(path, { ...bodyOf(said), stream })
        expect(response.status).toBe(400)
        expect(response.headers.get('x-should-retry')).toBe('false')
        const error = errorOf((await response.json()) as Fields)
        expect(error).toMatchObject(expected)
        const words = String(error.message)
        expect(words).toMatch(part)
        expect(words).toContain('window 4096, reserve')
        expect(words).toMatch(/--window \d+;.*--max-tool-tokens/)
        const [prompt, window] = [...words.matchAll(/\d+(?= tokens)/g)]
          .map(Number)
          .sort((a, b) => b - a)
        expect(prompt).toBeGreaterThan(window!)
      }
      expect(chats()).toEqual([])
      expect(await lines()).toEqual([])
      expect(served.map(({ fault }) => fault?.code)).toEqual([
        'context_too_long',
        'context_too_long',
      ])
    },
  )

  it.each([
    ['a system prompt', { system }, /system \d+/],
    ['tools', { hasTools: true }, /tools \d+/],
  ] as const)(
    'names the window and the flag where %s alone does not fit, and stores nothing',
    async (_, said, part) => {
      const { ask, chats, lines, served } = await start()
      for (const stream of [false, true]) {
        const response = await ask(path, { ...bodyOf(said), stream })
        const text = await response.text()
        expect([response.status, response.headers.get('x-should-retry')]).toEqual([400, 'false'])
        expect(text).toMatch(part)
        const [, least] =
          /window of at least (\d+) tokens and start the server with --window \1;/.exec(text) ?? []
        // Programs that see these would compact, and show words of their own.
        expect(text).not.toMatch(
          /context_length_exceeded|exceed_context_size|maximum context length|too long/,
        )
        // The window that is named is large enough.
        const larger = await startServer({
          upstream: ollamaUpstream({ url: (await upstreamWith(fine)).url, window: Number(least) }),
        })
        const body = JSON.stringify(bodyOf(said))
        expect((await fetch(`${larger.url}${path}`, { method: 'POST', body })).status).toBe(200)
      }
      expect(chats()).toEqual([])
      expect(await lines()).toEqual([])
      expect(served.map(({ fault }) => fault?.code)).toEqual([
        'window_too_small',
        'window_too_small',
      ])
    },
  )

  it('answers the same conversation once it fits', async () => {
    const { ask, chats, lines } = await start()
    expect((await ask(path, bodyOf({ system }))).status).toBe(400)
    const answered = await ask(path, bodyOf({ system: 'Be brief.' }))
    expect(answered.status).toBe(200)
    await answered.text()
    expect(chats()).toHaveLength(1)
    expect(await lines()).toEqual([{ said: ['hello', 'Aye.'], turns: ['completed'] }])
  })

  it.each([
    ['a system prompt', { system }],
    ['the newest request', { user: long }],
  ])('never cuts %s, whatever is switched on', async (_, said) => {
    for (const overflow of ['trim', 'trim-results'] as const) {
      const { ask, chats } = await start({ overflow })
      expect((await ask(path, bodyOf(said))).status).toBe(400)
      expect(chats()).toEqual([])
    }
  })

  it('has no such header where all fits', async () => {
    const { ask, served } = await start()
    const response = await ask(path, bodyOf({}))
    expect(response.headers.get('x-throughline-trimmed')).toBe(null)
    await response.text()
    expect(served[0]!.trimmed).toBe(0)
  })

  it('sends tools with shorter descriptions where that is switched on', async () => {
    const { ask, chats, history } = await start({ maxToolTokens: 2200 })
    expect((await ask(path, bodyOf({ hasTools: true }))).status).toBe(200)
    const sent = chats()[0]!.tools as (typeof functions)[number][]
    expect(sent.map(({ function: { name } }) => name)).toEqual(tools.map(({ name }) => name))
    expect(sent[3]!.function.description).toBe('Does the work number 3 of the harbour.')
    expect(sent[3]!.function.parameters.properties.berth).toEqual({
      type: 'string',
      description: 'The berth.',
    })
    const [{ conversation } = { conversation: '' }] = await history.conversations()
    const [call] = await history.thread(conversation).calls({ limit: 1 })
    expect(JSON.parse(call!.plan).toolsSaved).toBeGreaterThan(2000)
  })

  it('keeps free what is likely, and asks the model for no more than what is left', async () => {
    const { ask, chats, history } = await start()
    expect((await ask(path, bodyOf({ system: 'Be brief.' }))).status).toBe(200)
    const { num_predict: most } = chats()[0]!.options as { num_predict: number }
    expect(most).toBeLessThan(4096)
    expect(most).toBeGreaterThan(3500)
    const [{ conversation } = { conversation: '' }] = await history.conversations()
    const [call] = await history.thread(conversation).calls({ limit: 1 })
    expect(JSON.parse(call!.plan)).toMatchObject({
      ...{ window: 4096, reserve: 512 },
      reply: { why: 'an eighth of the window', most },
    })
  })
})

describe('results of tools', () => {
  const result = 'berth A1 is free; '.repeat(3000)
  const round = [
    { role: 'user', content: 'Which berths are free?' },
    {
      role: 'assistant',
      content: '',
      tool_calls: [{ id: 'c1', type: 'function', function: { name: 'look', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'c1', content: result },
  ]
  const body = { model: 'm', messages: round, tools: [functions[0]] }

  it('are cut in their middle, which the model, the client and the log can see', async () => {
    const { ask, chats, served } = await start()
    const response = await ask('/v1/chat/completions', body)
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('x-throughline-trimmed'))).toBeGreaterThan(5000)
    const messages = chats()[0]!.messages as { role: string; content: string }[]
    expect(messages.at(-1)!.content).toContain('tokens cut here')
    expect(messages[0]!.content).toBe('Which berths are free?')
    expect(served[0]!.trimmed).toBeGreaterThan(5000)
  })

  it('are cut before what a user pasted, which is cut only where that is switched on', async () => {
    const pasted = [
      { role: 'user', content: long.slice(0, 9000) },
      { role: 'assistant', content: 'Read.' },
    ]
    const question = { role: 'user', content: `${long.slice(0, 9000)} What does it say?` }
    const { ask } = await start()
    expect(
      (await ask('/v1/chat/completions', { ...body, messages: [...pasted, question] })).status,
    ).toBe(400)
    const { ask: askTrimming, chats, served } = await start({ overflow: 'trim' })
    expect(
      (await askTrimming('/v1/chat/completions', { ...body, messages: [...pasted, question] }))
        .status,
    ).toBe(200)
    const sent = chats()[0]!.messages as { content: string }[]
    expect(sent[0]!.content).toContain('tokens cut here')
    expect(sent.at(-1)!.content).toBe(question.content)
    expect(served[0]!.trimmed).toBeGreaterThan(100)
  })

  it('are cut, not the system prompt beside them', async () => {
    const { ask, chats } = await start()
    const rules = 'You keep the harbour in order. '.repeat(300)
    const messages = [{ role: 'system', content: rules }, ...round]
    expect((await ask('/v1/chat/completions', { ...body, messages })).status).toBe(200)
    const sent = chats()[0]!.messages as { content: string }[]
    expect(sent[0]!.content).toBe(rules)
    expect(sent.at(-1)!.content).toContain('tokens cut here')
  })

  it('are refused where nothing may be cut, and the turn is closed', async () => {
    const { ask, chats, lines } = await start({ overflow: 'error' })
    const response = await ask('/v1/chat/completions', body)
    expect(response.status).toBe(400)
    expect(((await response.json()) as { error: Fields }).error.code).toBe(
      'context_length_exceeded',
    )
    expect(chats()).toEqual([])
    expect(await lines()).toMatchObject([{ turns: ['failed'] }])
  })

  it('are sent all the same where that is set', async () => {
    const { ask, chats } = await start({ overflow: 'keep' })
    expect((await ask('/v1/chat/completions', body)).status).toBe(200)
    const sent = chats()[0]!.messages as { content: string }[]
    expect(sent.map(({ content }) => content)).toEqual(body.messages.map(({ content }) => content))
  })

  it('do not make room for a system prompt that does not fit', async () => {
    const { ask, lines } = await start()
    const messages = [{ role: 'system', content: system }, ...round]
    expect((await ask('/v1/chat/completions', { ...body, messages })).status).toBe(400)
    expect(await lines()).toEqual([])
  })
})

it('refuses in the API and for useChat with the same code', async () => {
  const { ask, lines } = await start()
  const sent = await ask('/throughline/v1/conversations/c/send', { input: long, model: 'm' })
  expect(sent.status).toBe(400)
  expect(await sent.json()).toMatchObject({ error: { code: 'context_too_long' } })
  const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: long }] }
  const chat = await ask('/throughline/v1/ui-chat', { id: 'ui', messages: [message], model: 'm' })
  expect(await chat.text()).toContain('What must be sent needs')
  expect(await lines()).toEqual([])
})

it('goes on with a conversation after a message that was refused', async () => {
  const { ask, lines } = await start()
  const say = (...messages: object[]) => ask('/v1/chat/completions', { model: 'm', messages })
  const first = [
    { role: 'user', content: 'hello' },
    { role: 'assistant', content: 'Aye.' },
  ]
  expect((await say(first[0]!)).status).toBe(200)
  expect((await say(...first, { role: 'user', content: long })).status).toBe(400)
  expect((await say(...first, { role: 'user', content: 'And now?' })).status).toBe(200)
  expect(await lines()).toEqual([
    { said: ['hello', 'Aye.', 'And now?', 'Aye.'], turns: ['completed', 'completed'] },
  ])
})

it('stores nothing of a first message whose program adds a system message that does not fit', async () => {
  const { ask, chats, lines, served } = await start()
  const messages = [
    { role: 'user', content: 'hello' },
    { role: 'system', content: system },
  ]
  const response = await ask('/v1/messages', { model: 'm', max_tokens: 32_000, messages })
  expect(response.status).toBe(400)
  expect(chats()).toEqual([])
  expect(await lines()).toEqual([])
  expect(served.map(({ fault }) => fault?.code)).toEqual(['context_too_long'])
})
