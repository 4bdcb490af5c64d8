import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { isLong } from '@throughline/test-tools/is-long'
import {
  ollamaAnswer,
  startUpstream,
  type UpstreamAnswer,
} from '@throughline/test-tools/scripted-upstream'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { type Message, textOf, UiChat } from '@throughline/test-tools/ui-chat'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithToolCalls,
  readUIMessageStream,
  validateUIMessages,
} from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { ollamaUpstream } from '../src/upstream/model-servers.ts'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

const path = '/throughline/v1/ui-chat'
const [turns, window] = isLong ? [60, 4096] : [30, 2048]
if (!isLong) console.info('Skipped: useChat over 60 turns, only in the long run')

const strayResult = {
  id: 'x',
  role: 'assistant',
  parts: [
    { type: 'tool-look', toolCallId: 'c', state: 'output-available', input: {}, output: 'x' },
  ],
}

const saying = (content: string) => ollamaAnswer([{ content }])
/** An answer that never comes to its end. */
const endless = (content: string) =>
  ({ ...saying(content), chunks: saying(content).chunks.slice(0, 1), ending: 'stall' }) as const

const chatOn = ({ url }: Pick<StartedServer, 'url'>, id = 'ada', messages: Message[] = []) =>
  new UiChat(`${url}${path}`, { id, messages })

/** A client that looks at the sea itself; `isAway`: it never comes back with what it saw. */
function toolsOn({ url }: Pick<StartedServer, 'url'>, { isAway = false } = {}) {
  const seen: unknown[] = []
  const ui = new UiChat(`${url}${path}`, {
    id: 'ada',
    body: { tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }] },
    onToolCall({ toolCall: { toolName, toolCallId, input } }) {
      if (isAway) return
      seen.push(input)
      void ui.addToolOutput({ tool: toolName, toolCallId, output: `boat ${seen.length}` })
    },
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
  })
  return Object.assign(ui, { seen })
}

/** A part without what only a stream knows. */
const simple = ({ type, ...part }: Message['parts'][number]) => {
  const { text, toolCallId, output, url } = part as Readonly<Record<string, unknown>>
  return { type, text, toolCallId, output, url }
}

const filler = (turn: number) =>
  `Note ${turn}: we also talked about the weather, the garden, the neighbours and number ${turn}, at some length, as people do.`

/** The reader, which waits after the first word of its answer to a question until it is told to go on. */
function waitingInQuestions() {
  let goOn = () => {}
  const told = new Promise<void>(resolve => {
    goOn = resolve
  })
  const inner = readerUpstream()
  const model: Upstream['model'] = (...given) => {
    const opened = inner.model(...given)
    return {
      ...opened,
      async *stream(request) {
        for await (const part of opened.stream(request)) {
          yield part
          if (String(request.messages.at(-1)!.content).endsWith('?')) await told
        }
      },
    }
  }
  return { upstream: { ...inner, model }, goOn }
}

/** A server whose model gives the answers of a script, one for each time it is asked. */
async function startScripted(
  script: (at: number) => UpstreamAnswer,
  options: { readonly lingerMs?: number; readonly notes?: boolean; readonly store?: Store } = {},
) {
  let asked = 0
  const upstream = await startUpstream(({ path: wanted }) => {
    if (wanted === '/api/chat') return script(asked++)
    if (wanted === '/api/tags') return { status: 200, body: { models: [{ name: 'scripted' }] } }
    return { status: 200, body: { model_info: { 'llama.context_length': 4096 }, models: [] } }
  })
  onTestFinished(() => upstream.close())
  const server = await startServer({
    upstream: ollamaUpstream({ url: upstream.url }),
    ...options,
  })
  return {
    ...server,
    chats: () => upstream.requests.filter(request => request.path === '/api/chat'),
  }
}

describe.each(await someStores())('useChat on the server, on %s', (_, create) => {
  it('answers once more on a branch, and goes on there', async () => {
    const server = await startScripted(at => saying(`Answer ${at + 1}.`), { store: create() })
    const ui = chatOn(server)
    await ui.say('One?')
    await ui.say('Two?')
    await ui.regenerate()
    expect(ui.messages.map(textOf)).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 3.'])
    await ui.say('Three?')
    const [conversation] = await server.history.conversations()
    expect(conversation!.threads).toHaveLength(2)
    const { branch } = conversation!.threads.find(({ branch }) => branch !== 'main')!
    expect(ui.lastMessage!.metadata!.branch).toBe(branch)
    const shown = await server.history.thread('ada', { branch }).display()
    expect(shown.map(({ content }) => content)).toEqual([
      ...['One?', 'Answer 1.', 'Two?', 'Answer 3.', 'Three?', 'Answer 4.'],
    ])
    expect(await server.history.thread('ada').display()).toHaveLength(4)
  })

  it('answers an edited message on a branch', async () => {
    const server = await startScripted(at => saying(`Answer ${at + 1}.`), { store: create() })
    const ui = chatOn(server)
    await ui.say('One?')
    await ui.say('Two?')
    await ui.sendMessage({ text: 'Uno?', messageId: ui.messages[0]!.id })
    expect(ui.messages.map(textOf)).toEqual(['Uno?', 'Answer 3.'])
    await ui.say('Due?')
    const { branch } = ui.lastMessage!.metadata!
    const shown = await server.history.thread('ada', { branch }).display()
    expect(shown.map(({ content }) => content)).toEqual(['Uno?', 'Answer 3.', 'Due?', 'Answer 4.'])
    expect(await server.history.thread('ada').display()).toHaveLength(4)
  })

  it('tries a first message again whose model was away, and answers one that is sent twice once', async () => {
    let isAway = true
    const upstream = await startUpstream(({ path: wanted }) => {
      if (isAway && /(ps|show)$/.test(wanted)) return { status: 500, body: { error: 'not yet' } }
      if (wanted === '/api/chat') return saying('Here.')
      if (wanted === '/api/tags') return { status: 200, body: { models: [{ name: 'scripted' }] } }
      return { status: 200, body: { model_info: { 'llama.context_length': 4096 }, models: [] } }
    })
    onTestFinished(() => upstream.close())
    const server = await startServer({
      store: create(),
      upstream: ollamaUpstream({ url: upstream.url }),
      retries: 0,
    })
    const ui = chatOn(server)
    await ui.say('Hello?')
    expect(ui.status).toBe('error')
    isAway = false
    await ui.regenerate()
    expect(ui.messages.map(textOf)).toEqual(['Hello?', 'Here.'])
    const { branch } = ui.lastMessage!.metadata!
    const { id, parts } = ui.messages[0]!
    const twice = chatOn(server)
    await twice.sendMessage({ id, parts })
    expect([twice.answer, twice.lastMessage!.metadata!.branch]).toEqual(['Here.', branch])
    expect(upstream.requests.filter(({ path }) => path === '/api/chat')).toHaveLength(1)
  })

  it('gives a page that was loaded again what was said, as its own messages', async () => {
    const script = [
      ollamaAnswer([
        {
          thinking: 'Hm.',
          content: 'Looking. ',
          tool_calls: [{ function: { name: 'look', arguments: { at: 'sea' } } }],
        },
      ]),
      saying('A boat. [NOTE TO SELF: Zanzibar]'),
      saying('Answer 3.'),
      saying('Answer 4.'),
      saying('Answer 5.'),
    ]
    const server = await startScripted(at => script[at]!, { notes: true, store: create() })
    const ui = toolsOn(server)
    await ui.sendMessage({
      text: 'What is it?',
      files: [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,AAAA' }],
    })
    await expect.poll(() => ui.answer).toContain('A boat.')
    await ui.say('Two?')
    const load = async (query = '') => {
      const response = await fetch(`${server.url}${path}/ada${query}`)
      expect(response.status).toBe(200)
      const { messages, branch } = (await response.json()) as {
        messages: Message[]
        branch: string
      }
      await validateUIMessages({ messages })
      return { messages, branch }
    }
    const { messages } = await load()
    const partsOf = (all: readonly Message[]) =>
      all.map(({ role, parts }) => [
        role,
        parts.filter(({ type }) => !/^data-|step-start/.test(type)).map(simple),
      ])
    expect(partsOf(messages)).toEqual(partsOf(ui.messages))
    expect(JSON.stringify(messages)).not.toContain('Zanzibar')

    // A page that has only these goes on, answers again and edits like the one before it.
    const again = chatOn(server, 'ada', messages)
    await again.regenerate()
    expect(again.answer).toBe('Answer 4.')
    const newest = await load()
    expect(newest.branch).not.toBe('main')
    expect(textOf(newest.messages.at(-1))).toBe('Answer 4.')
    const main = await load('?branch=main')
    const old = chatOn(server, 'ada', main.messages)
    await old.say('Three?')
    expect(old.lastMessage!.metadata!.branch).toBe('main')
    expect((await fetch(`${server.url}${path}/nobody`)).status).toBe(404)
    expect((await fetch(`${server.url}${path}/ada?branch=none`)).status).toBe(404)
  })

  it('takes over what was said elsewhere, in a conversation that is new here', async () => {
    const server = await startScripted(at => saying(`Answer ${at + 1}.`), { store: create() })
    const tool = {
      type: 'tool-look',
      toolCallId: 'c1',
      state: 'output-available',
      input: {},
      output: 'a boat',
    }
    const said = [
      { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'What do you see?' }] },
      {
        id: 'a1',
        role: 'assistant',
        parts: [
          { type: 'step-start' },
          tool,
          { type: 'step-start' },
          { type: 'text', text: 'A boat.' },
        ],
      },
    ] as Message[]
    const ui = chatOn(server, 'ada', said)
    await ui.say('What colour?')
    const thread = server.history.thread('ada')
    const logged = async () => (await thread.messages()).map(({ role, content }) => [role, content])
    expect(await logged()).toEqual([
      ['user', 'What do you see?'],
      ['assistant', ''],
      ['tool', 'a boat'],
      ['assistant', 'A boat.'],
      ['user', 'What colour?'],
      ['assistant', 'Answer 1.'],
    ])
    await ui.say('And its name?')
    expect(await logged()).toHaveLength(8)
    await ui.sendMessage({ text: 'Who is there?', messageId: 'u1' })
    expect(ui.messages).toHaveLength(2)
    const { branch } = ui.lastMessage!.metadata!
    expect((await server.history.thread('ada', { branch }).messages())[0]!.content).toBe(
      'Who is there?',
    )
  })
})

describe('useChat on the server', () => {
  it('goes on with a client that sends only the new message', async () => {
    const server = await startServer()
    const transport = new DefaultChatTransport<Message>({
      api: `${server.url}${path}`,
      prepareSendMessagesRequest: ({ id, messages }) => ({
        body: { id, messages: messages.slice(-1) },
      }),
    })
    let last: Message | undefined
    for (const [at, text] of ['My cat is called Tom.', 'What is my cat called?'].entries()) {
      const stream = await transport.sendMessages({
        trigger: 'submit-message',
        chatId: 'ada',
        messageId: undefined,
        messages: [{ id: `m${at}`, role: 'user', parts: [{ type: 'text', text }] }],
        abortSignal: undefined,
      })
      for await (const message of readUIMessageStream<Message>({ stream })) last = message
    }
    expect(textOf(last)).toContain('Tom')
    expect((await server.history.conversations())[0]!.threads).toMatchObject([
      { actor: 'assistant', branch: 'main', head: 4 },
    ])
  })

  it('answers again what was loaded from the log, by the ids of its entries', async () => {
    const server = await startScripted(at => saying(`Answer ${at + 1}.`))
    await chatOn(server).say('One?')
    const loaded = (await server.history.thread('ada').display()).map(
      ({ id, role, content }): Message => ({
        id,
        role: role as 'user',
        parts: [{ type: 'text', text: content as string }],
      }),
    )
    const ui = chatOn(server, 'ada', loaded)
    await ui.regenerate()
    expect(ui.answer).toBe('Answer 2.')
    expect((await server.history.conversations())[0]!.threads).toHaveLength(2)
    const unknown = chatOn(server, 'ada', [{ ...loaded[0]!, id: 'never seen' }])
    await unknown.regenerate()
    expect(unknown.error?.message).toContain('not in this conversation')
  })

  it('gives a page that was loaded again the running reply from its beginning', async () => {
    const { upstream, goOn } = waitingInQuestions()
    const server = await startServer({ upstream })
    const ui = chatOn(server)
    await ui.say('The harbour code is four four seven one and the key is under the blue pot.')
    const asked = ui.say('What is the harbour code?')
    await expect.poll(() => ui.lastMessage?.role === 'assistant' && ui.answer !== '').toBe(true)
    const saved = structuredClone(ui.messages.slice(0, -1))
    await ui.stop()
    await asked
    const again = chatOn(server, 'ada', saved)
    const resumed = again.resumeStream()
    await expect.poll(() => again.lastMessage?.role).toBe('assistant')
    goOn()
    await resumed
    expect(again.answer).toContain('four four seven one')
    expect(again.messages).toHaveLength(4)
    expect(again.lastMessage!.id).toBe(ui.lastMessage!.id)
    expect((await server.history.thread('ada').turns()).at(-1)!.status).toBe('completed')
    // Nothing runs now: the transport gets a 204, and the chat stays as it is.
    await again.resumeStream()
    expect([again.status, again.messages.length]).toEqual(['ready', 4])
  })

  it('cancels a stopped reply when the next message comes', async () => {
    const server = await startScripted(at => (at === 0 ? endless('One') : saying('Two')))
    const ui = chatOn(server)
    const first = ui.say('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('One')
    await ui.stop()
    await first
    await ui.say('And now?')
    expect(ui.answer).toBe('Two')
    expect(await server.chats()[0]!.ended).toBe('left')
    const turns = await server.history.thread('ada').turns()
    expect(turns.map(({ status }) => status)).toEqual(['cancelled', 'completed'])
  })

  it('cancels a reply that nobody came back for', async () => {
    const server = await startScripted(() => endless('One'), { lingerMs: 20 })
    const ui = chatOn(server)
    const first = ui.say('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('One')
    await ui.stop()
    await first
    expect(await server.chats()[0]!.ended).toBe('left')
    await expect
      .poll(async () => (await server.history.thread('ada').turns())[0]!.status)
      .toBe('cancelled')
  })

  it('cancels at once when it is told to, and tells whoever still reads', async () => {
    const server = await startScripted(at => (at === 0 ? endless('One') : saying('Two')))
    const ui = chatOn(server)
    const first = ui.say('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('One')
    const other = chatOn(server)
    await other.say('Me too.')
    expect(other.error?.message).toContain('turn_open')
    const stopped = await fetch(`${server.url}${path}/ada/stream`, { method: 'DELETE' })
    expect(stopped.status).toBe(204)
    await first
    expect([ui.status, ui.answer]).toEqual(['ready', 'One'])
  })

  it('fails with a status before the model has begun, and in the stream after that', async () => {
    const server = await startScripted(at =>
      at === 0
        ? { status: 404, body: { error: 'model not found' } }
        : { ...endless('Half'), ending: 'reset' },
    )
    const ui = chatOn(server)
    await ui.say('Hello?')
    expect(ui.status).toBe('error')
    expect(JSON.parse(ui.error!.message)).toMatchObject({ error: { code: 'model_not_found' } })
    await ui.regenerate()
    expect(ui.status).toBe('error')
    expect(ui.answer).toBe('Half')
    const turns = await server.history.thread('ada').turns()
    expect(turns.map(({ status }) => status)).toEqual(['failed'])
  })

  it('has tools run by the client, in a turn that goes on in the same message', async () => {
    const call = (name: string) =>
      ollamaAnswer([
        {
          content: 'Let me look. ',
          tool_calls: [{ function: { name, arguments: { at: 'sea' } } }],
        },
      ])
    const server = await startScripted(
      at => [call('look'), call('look'), saying('Two boats.')][at]!,
    )
    const ui = toolsOn(server)
    await ui.say('What do you see?')
    await expect.poll(() => ui.answer).toContain('Two boats.')
    expect(ui.messages).toHaveLength(2)
    expect(ui.seen).toEqual([{ at: 'sea' }, { at: 'sea' }])
    const thread = server.history.thread('ada')
    expect((await thread.turns()).map(({ status }) => status)).toEqual(['completed'])
    expect((await thread.messages()).map(({ role }) => role)).toEqual([
      ...['user', 'assistant', 'tool', 'assistant', 'tool', 'assistant'],
    ])
    const [, second] = server.chats()
    expect(second!.body).toMatchObject({ tools: [{ function: { name: 'look' } }] })
    expect(JSON.stringify(second!.body)).toContain('boat 1')
    // The next message goes on behind it, and another try leaves before it.
    await ui.say('Thank you.')
    await ui.regenerate()
    expect((await server.history.conversations())[0]!.threads).toHaveLength(2)
  })

  it('goes on without the tools of a client that asks something else', async () => {
    const server = await startScripted(at =>
      at === 0
        ? ollamaAnswer([{ tool_calls: [{ function: { name: 'look', arguments: {} } }] }])
        : saying('Fine.'),
    )
    const ui = toolsOn(server, { isAway: true })
    await ui.say('What do you see?')
    expect(ui.lastMessage!.parts.at(-1)).toMatchObject({
      type: 'tool-look',
      state: 'input-available',
    })
    expect((await server.history.thread('ada').status()).state).toBe('interrupted')
    const late = structuredClone(ui.messages)
    await ui.say('Never mind.')
    expect(ui.answer).toBe('Fine.')
    const turns = await server.history.thread('ada').turns()
    expect(turns.map(({ status }) => status)).toEqual(['interrupted', 'completed'])
    const given = late.at(-1)!
    given.parts[given.parts.length - 1] = {
      ...given.parts.at(-1)!,
      state: 'output-available',
      output: 'A boat.',
    } as never
    const body = JSON.stringify({ id: 'ada', messages: late })
    const refused = await fetch(`${server.url}${path}`, { method: 'POST', body })
    expect([refused.status, await refused.text()]).toEqual([
      400,
      expect.stringContaining('No call waits'),
    ])
  })

  it(`chats over ${turns} turns in a window of ${window}, and still knows turn 1`, async () => {
    const server = await startServer({ upstream: readerUpstream({ window }) })
    const ui = chatOn(server)
    await ui.say('The boat is called Seagull.')
    for (let turn = 2; turn <= turns; turn++) await ui.say(filler(turn))
    await ui.say('What is the boat called?')
    expect(ui.answer).toContain('Seagull')
    const context = ui.lastMessage!.parts.find(part => part.type === 'data-context')
    expect(context?.data.tokens).toBeLessThan(window)
    // The first message is always sent; its answer was cut, and is brought back.
    expect(context?.data.recalled).toContain(2)
    expect(await server.history.conversations()).toMatchObject([
      { conversation: 'ada', threads: [{ branch: 'main', head: 2 * turns + 2 }] },
    ])
    expect(server.served.at(-1)).toMatchObject({ adapter: 'ui-chat', model: 'reader' })
  })

  it.each([
    ['no JSON', '{'],
    ['no id', { messages: [] }],
    ['no message', { id: 'ada', messages: [] }],
    ['an answer without results', { id: 'ada', messages: [{ role: 'assistant', parts: [] }] }],
    ['a result that nobody waits for', { id: 'ada', messages: [strayResult] }],
    ['nothing said', { id: 'ada', messages: [{ role: 'user', parts: [] }] }],
    ['no parts', { id: 'ada', messages: [{ role: 'user', content: 'Hello' }] }],
  ])('refuses %s', async (_, body) => {
    const { url, history } = await startServer()
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const { status } = await fetch(`${url}${path}`, { method: 'POST', body: text })
    expect(status).toBe(400)
    expect(await history.conversations()).toEqual([])
  })
})
