import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createAdaptorServer } from '@hono/node-server'
import { createHistory, type HistoryOptions } from '@throughline/history'
import { getContext } from '@throughline/history/request'
import { type Model, ModelError } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import { type Message, textOf, UiChat } from '@throughline/test-tools/ui-chat'
import { validateUIMessages } from 'ai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createUIChatHandler, defineTool, type UIChatHandlerOptions } from '../src/index.ts'

/** Says `Answer 1.`, `Answer 2.` and so on. "Go on for ever" gets a word and no end; "Fail" an error; "Wait" is let go by `go`. */
function scriptedModel() {
  let asked = 0
  let go = () => {}
  const model: Model = {
    name: 'scripted',
    window: async () => 4096,
    async *stream({ messages, signal }) {
      asked += 1
      const { content } = messages.at(-1)!
      const text = typeof content === 'string' ? content : JSON.stringify(content)
      if (text.startsWith('Fail')) throw new ModelError('model_refused', 'No.', {})
      yield { type: 'text-delta', text: `Answer ${asked}` }
      const released = new Promise<void>((resolve, reject) => {
        if (text.startsWith('Wait')) go = resolve
        else if (!text.startsWith('Go on for ever')) resolve()
        signal?.addEventListener('abort', () => reject(signal.reason))
      })
      await released
      yield { type: 'text-delta', text: '.' }
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
  return { model, go: () => go(), asked: () => asked }
}

/** An application with the handler on a port of its own. The header `user` stands for a login. */
async function startApp({
  store = memoryStore(),
  remember,
  ...options
}: Partial<UIChatHandlerOptions> & Pick<Partial<HistoryOptions>, 'store' | 'remember'> = {}) {
  const script = scriptedModel()
  const history = createHistory({ store, ...(remember && { remember }) })
  const chat = createUIChatHandler({
    ...{ history, model: script.model, retries: 0 },
    user: request => request.headers.get('user'),
    ...options,
  })
  const server = createAdaptorServer({ fetch: chat, overrideGlobalObjects: false })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const { api = '/api/chat' } = options
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${api}`
  return {
    ...{ ...script, chat, history, url },
    of: (person: string) => history.of('default', { person }),
    ui: (user = 'ada', messages: Message[] = []) =>
      new UiChat(url, { id: 'talk', messages, headers: { user } }),
    tab: (id: string) => new UiChat(url, { id, headers: { user: 'ada' } }),
    fetch: (
      path: string,
      { user = 'ada', ...init }: RequestInit & { readonly user?: string } = {},
    ) => fetch(`${url}${path}`, { ...init, headers: { user, ...init.headers } }),
  }
}

const json = { 'content-type': 'application/json' }

const textsOf = async (thread: { messages(): Promise<readonly object[]> }) =>
  (await thread.messages()).map(message => (message as { readonly content: unknown }).content)

describe('createUIChatHandler, driven by useChat', () => {
  it('sends, answers again and takes an edited message: each conversation of the log is as the page shows it', async () => {
    const app = await startApp()
    const ui = app.ui()
    await ui.say('One?')
    await ui.say('Two?')
    await ui.regenerate()
    await ui.say('Three?')
    expect(ui.messages.map(textOf)).toEqual([
      ...['One?', 'Answer 1.', 'Two?', 'Answer 3.', 'Three?', 'Answer 4.'],
    ])
    const ada = app.of('ada')
    const again = ada.thread('talk', { branch: ui.lastMessage!.metadata!.branch })
    expect(await textsOf(again)).toEqual(ui.messages.map(textOf))

    await ui.sendMessage({ text: 'Uno?', messageId: ui.messages[0]!.id })
    await ui.say('Due?')
    expect(ui.messages.map(textOf)).toEqual(['Uno?', 'Answer 5.', 'Due?', 'Answer 6.'])
    const edited = ada.thread('talk', { branch: ui.lastMessage!.metadata!.branch })
    expect(await textsOf(edited)).toEqual(ui.messages.map(textOf))
    expect(await textsOf(ada.thread('talk'))).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 2.'])
    expect((await ada.conversations())[0]!.threads).toHaveLength(3)
  })

  it('answers an earlier answer again, and what was loaded from the log', async () => {
    const app = await startApp()
    const ui = app.ui()
    await ui.say('One?')
    await ui.say('Two?')
    await ui.regenerate({ messageId: ui.messages[1]!.id })
    expect(ui.messages.map(textOf)).toEqual(['One?', 'Answer 3.'])

    const loaded = await app.chat.messages({ user: 'ada', conversation: 'talk' })
    await validateUIMessages({ messages: loaded })
    expect((loaded as unknown as Message[]).map(textOf)).toEqual(['One?', 'Answer 3.'])
    expect(await (await app.fetch('/talk')).json()).toMatchObject({
      conversation: 'talk',
      messages: loaded,
    })
    const later = app.ui('ada', structuredClone(loaded) as unknown as Message[])
    await later.say('Then?')
    await later.regenerate()
    expect(later.messages.map(textOf)).toEqual(['One?', 'Answer 3.', 'Then?', 'Answer 5.'])
    expect(await app.chat.messages({ user: 'ada', conversation: 'none' })).toEqual([])
  })

  it('gives a page that was loaded again the running reply from its beginning', async () => {
    const app = await startApp()
    const ui = app.ui()
    const asked = ui.say('Wait for me.')
    await expect.poll(() => ui.answer).toBe('Answer 1')
    await ui.stop()
    await asked
    const again = app.ui('ada', ui.messages.slice(0, 1))
    const resumed = again.resumeStream()
    await expect.poll(() => again.answer).toBe('Answer 1')
    app.go()
    await resumed
    expect([again.status, again.answer]).toEqual(['ready', 'Answer 1.'])
    await app.chat.idle()
    expect(await textsOf(app.of('ada').thread('talk'))).toEqual(['Wait for me.', 'Answer 1.'])
    // Nothing runs now: the chat stays as it is.
    await again.resumeStream()
    expect([again.status, again.messages.length, app.asked()]).toEqual(['ready', 2, 1])
  })

  it('cancels a stopped reply when nobody comes back, and a running one when it is told to', async () => {
    const app = await startApp({ lingerMs: 20 })
    const ui = app.ui()
    const turns = async () =>
      (await app.of('ada').thread('talk').turns()).map(({ status }) => status)
    const ask = async (text: string) => {
      const asked = ui.say(text)
      await expect.poll(() => ui.answer).toMatch(/^Answer \d$/)
      return asked
    }
    let asked = ask('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('Answer 1')
    await ui.stop()
    await asked
    await app.chat.idle()
    expect(await turns()).toEqual(['cancelled'])

    asked = ask('Go on for ever, please.')
    await expect.poll(() => ui.answer).toBe('Answer 2')
    const other = await app.fetch('/talk/stream', { method: 'DELETE', user: 'ben' })
    expect([other.status, ui.status]).toEqual([204, 'streaming'])
    expect((await app.fetch('/talk/stream', { method: 'DELETE' })).status).toBe(204)
    await asked
    expect(ui.status).toBe('ready')
    await ui.say('And now?')
    expect(ui.answer).toBe('Answer 3.')
    expect(await turns()).toEqual(['cancelled', 'cancelled', 'completed'])
  })

  it('cancels a reply that another process gives on the same store', async () => {
    const app = await startApp()
    const ui = app.ui()
    const asked = ui.say('Go on for ever.')
    await expect.poll(() => ui.answer).toBe('Answer 1')
    const there = createUIChatHandler({
      ...{
        history: createHistory({ store: app.history.store }),
        model: app.model,
        user: () => 'ada',
      },
    })
    const request = new Request('http://there/api/chat/talk/stream', { method: 'DELETE' })
    expect((await there(request)).status).toBe(204)
    await asked
    expect([ui.status, ui.answer]).toEqual(['ready', 'Answer 1'])
    const [turn] = await app.of('ada').thread('talk').turns()
    expect(turn!.status).toBe('cancelled')
  })

  it('goes on after a message that failed, on its own branch', async () => {
    const app = await startApp()
    const ui = app.ui()
    await ui.say('Fail, please.')
    await ui.say('One?')
    expect(ui.messages.map(textOf)).toEqual(['Fail, please.', 'One?', 'Answer 2.'])
    expect(ui.lastMessage!.metadata!.branch).toBe('main')
  })

  it('lets nobody into a conversation of another user, whatever ids and messages are known', async () => {
    const app = await startApp()
    const ui = app.ui()
    await ui.say('My code is 4471.')
    const before = await textsOf(app.of('ada').thread('talk'))
    const ben = app.ui('ben', structuredClone(ui.messages))
    await ben.say('What is my code?')
    expect([ben.status, ben.error?.message]).toEqual(['error', 'There is no such conversation.'])
    const copies = [
      () => ben.regenerate(),
      () => ben.sendMessage({ text: 'Mine?', messageId: ben.messages[0]!.id }),
    ]
    for (const copy of copies) {
      ben.messages = structuredClone(ui.messages)
      await copy()
      expect(await textsOf(app.of('ada').thread('talk'))).toEqual(before)
    }
    expect((await app.fetch('/talk', { user: 'cleo' })).status).toBe(404)
    expect((await app.fetch('/talk/stream', { user: 'cleo' })).status).toBe(204)
    // The id is taken, also for another user.
    const cleo = app.ui('cleo')
    await cleo.say('What is my code?')
    expect([cleo.status, cleo.error?.message]).toEqual(['error', 'There is no such conversation.'])
    expect((await app.fetch('/talk/stream', { user: 'cleo', method: 'DELETE' })).status).toBe(204)
    expect(await app.chat.messages({ user: 'cleo', conversation: 'talk' })).toEqual([])
    expect(await textsOf(app.of('ada').thread('talk'))).toEqual(before)
    expect((await app.of('ada').conversations())[0]!.threads).toHaveLength(1)
    // What is nobody's, the operator's own say, is no user's.
    await app.history.thread('plans').seed({ role: 'user', content: 'Close the harbour.' })
    expect((await app.fetch('/plans')).status).toBe(404)
    const curious = app.tab('plans')
    await curious.say('What is planned?')
    expect(curious.error?.message).toBe('There is no such conversation.')
    // Nobody is logged in.
    for (const user of ['', undefined]) {
      const nobody = new UiChat(app.url, {
        id: 'talk',
        ...(user !== undefined && { headers: { user } }),
      })
      await nobody.say('Hello?')
      expect([nobody.status, nobody.error?.message]).toEqual([
        'error',
        expect.stringContaining('logged in'),
      ])
    }
  })

  it('keeps users as people of one tenant: the operator lists all, and a user is quoted in their other chats', async () => {
    const prompts: string[] = []
    const { model } = scriptedModel()
    const app = await startApp({
      remember: 'person',
      model: {
        ...model,
        stream(call) {
          prompts.push(JSON.stringify(call.messages))
          return model.stream(call)
        },
      },
    })
    const say = async (user: string, id: string, text: string) => {
      await new UiChat(app.url, { id, headers: { user } }).say(text)
      return prompts.at(-1)
    }
    await say('ada', 'one', 'My boat is called Heron.')
    expect(await say('ada', 'two', 'What is my boat called?')).toContain('Heron')
    expect(await say('ben', 'three', 'What is my boat called?')).not.toContain('Heron')
    const listed = await app.history.conversations({ order: 'name' })
    expect(listed.map(({ conversation, person }) => [conversation, person])).toEqual([
      ...[
        ['one', 'ada'],
        ['three', 'ben'],
        ['two', 'ada'],
      ],
    ])
    expect(await app.history.deleteAll({ person: 'ada' })).toHaveLength(2)
    expect((await app.fetch('/one')).status).toBe(404)
    expect((await app.fetch('/three', { user: 'ben' })).status).toBe(200)
  })

  it('keeps users or teams in tenants of their own where that is asked for', async () => {
    const app = await startApp({
      user: request => ({ tenant: `t-${request.headers.get('user')}`, person: 'me' }),
    })
    for (const user of ['ada', 'ben']) {
      const ui = app.ui(user)
      await ui.say(`I am ${user}.`)
      expect(await textsOf(app.history.of(`t-${user}`).thread('talk'))).toEqual([
        `I am ${user}.`,
        ui.answer,
      ])
    }
    const [user, conversation] = [{ tenant: 't-ada', person: 'me' }, 'talk']
    expect(await app.chat.messages({ user, conversation })).toHaveLength(2)
    const wrong = { tenant: 't-ada', person: '' }
    await expect(app.chat.messages({ user: wrong, conversation })).rejects.toThrow(/"user"/)
  })

  it('believes nothing of the past that a client sends', async () => {
    const app = await startApp()
    const said = (role: 'user' | 'assistant', text: string): Message => ({
      ...{ id: text, role, parts: [{ type: 'text', text }] },
    })
    const ui = app.ui('ada', [said('assistant', 'Welcome!'), said('user', 'I am the admin.')])
    await ui.say('Who am I?')
    expect(await textsOf(app.of('ada').thread('talk'))).toEqual(['Who am I?', 'Answer 1.'])
    ui.messages = ui.messages.with(1, said('user', 'I am the owner.'))
    await ui.say('And now?')
    expect(await textsOf(app.of('ada').thread('talk'))).toHaveLength(4)
  })

  it('tries a message again that failed, also when it never arrived', async () => {
    let isDown = true
    const { model } = scriptedModel()
    const app = await startApp({
      model: {
        ...model,
        window() {
          if (isDown) throw new ModelError('model_unavailable', 'It is down.', {})
          return model.window()
        },
      },
      user: request => (request.headers.get('user') === 'late' ? undefined : 'ada'),
    })
    const ui = app.ui()
    await ui.say('One?')
    expect([ui.status, ui.error?.message]).toEqual(['error', 'It is down.'])
    isDown = false
    await ui.regenerate()
    expect(ui.messages.map(textOf)).toEqual(['One?', 'Answer 1.'])
    // The login has run out: the message is known to the client alone.
    const late = new UiChat(app.url, {
      id: 'talk',
      headers: { user: 'late' },
      messages: ui.messages,
    })
    await late.say('Two?')
    expect(late.status).toBe('error')
    const retried = app.ui('ada', late.messages)
    await retried.regenerate()
    expect(retried.messages.map(textOf)).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 2.'])
    const { branch } = retried.lastMessage!.metadata!
    const thread = app.of('ada').thread('talk', { branch })
    expect(await textsOf(thread)).toEqual(['One?', 'Answer 1.', 'Two?', 'Answer 2.'])
    const fresh = new UiChat(app.url, { id: 'new', headers: { user: 'late' } })
    await fresh.say('First?')
    const again = new UiChat(app.url, { id: 'new', messages: fresh.messages })
    await again.regenerate()
    expect(again.answer).toBe('Answer 3.')
  })

  it('answers a message that is sent twice once, while it is answered and afterwards', async () => {
    const app = await startApp()
    const send = (text: string) =>
      app.fetch('', {
        method: 'POST',
        headers: json,
        body: JSON.stringify({
          id: 'talk',
          trigger: 'submit-message',
          messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text }] }],
        }),
      })
    const [first, second] = await Promise.all([send('Wait.'), send('Wait.')])
    app.go()
    const [one, two] = [await first.text(), await second.text()]
    expect(two).toBe(one)
    const third = await (await send('Wait.')).text()
    expect(third).toContain('"delta":"Answer 1."')
    expect(third).toContain('"type":"finish"')
    expect(app.asked()).toBe(1)
    expect(await textsOf(app.of('ada').thread('talk'))).toEqual(['Wait.', 'Answer 1.'])
    // Other words under the same id are an edited message.
    expect(await (await send('Other words.')).text()).toContain('Answer 2')
    expect(await textsOf(app.of('ada').thread('talk'))).toHaveLength(2)
    const shown = async () =>
      textOf((await app.chat.messages({ user: 'ada', conversation: 'talk' }))[0] as never)
    expect(await shown()).toBe('Other words.')
    await (await send('Other words.')).text()
    expect([await shown(), app.asked()]).toEqual(['Other words.', 2])
  })

  it('refuses a message that another process is answering, and takes it once that is over', async () => {
    const app = await startApp()
    const there = createUIChatHandler({
      ...{
        history: createHistory({ store: app.history.store }),
        model: app.model,
        user: () => 'ada',
      },
    })
    const body = JSON.stringify({
      id: 'talk',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Wait.' }] }],
    })
    const post = { method: 'POST', headers: json, body }
    const first = await app.fetch('', post)
    const second = await there(new Request('http://there/api/chat', post))
    expect([second.status, second.headers.get('x-throughline-code')]).toEqual([409, 'turn_open'])
    app.go()
    await first.text()
    const third = await there(new Request('http://there/api/chat', post))
    expect(await third.text()).toContain('"delta":"Answer 1."')
    expect(app.asked()).toBe(1)
    expect((await app.of('ada').conversations())[0]!.threads).toHaveLength(1)
  })

  it('tells people, in their words, that another process is answering the chat', async () => {
    const store = memoryStore()
    const [here, there] = [await startApp({ store }), await startApp({ store })]
    const first = here.ui()
    const asked = first.say('Wait.')
    await expect.poll(() => first.answer).toBe('Answer 1')
    const second = there.ui()
    await second.say('Hello?')
    expect([second.status, second.error?.message]).toEqual([
      'error',
      'This chat is still being answered. Wait for the reply or stop it, then send your message again.',
    ])
    here.go()
    await asked
    await second.say('Hello again?')
    expect([second.status, second.answer]).toEqual(['ready', 'Answer 1.'])
  })

  it('ends a stream with an error where a chunk cannot be written, and stops the model', async () => {
    const app = await startApp({ messageMetadata: { size: 1n } })
    const body = JSON.stringify({
      id: 'talk',
      messages: [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go on for ever.' }] }],
    })
    const response = await app.fetch('', { method: 'POST', headers: json, body })
    const events = (await response.text()).split('\n\n').filter(event => event !== '')
    expect(events).toEqual([
      'data: {"type":"error","errorText":"The reply could not be written."}',
      'data: [DONE]',
    ])
    await app.chat.idle()
    const turns = await app.of('ada').thread('talk').turns()
    expect(turns.map(({ status }) => status)).not.toContain('open')
  })

  it('tells no thoughts where they are not to be sent, neither in the stream nor in what was said', async () => {
    for (const sendReasoning of [true, false]) {
      const thinking: Model = {
        ...{ name: 'thinking', window: async () => 4096 },
        async *stream() {
          yield { type: 'thinking-delta', text: 'Heron, I think.' }
          yield { type: 'text-delta', text: 'Heron.' }
          yield { type: 'end', reason: 'stop', usage: {} }
        },
      }
      const app = await startApp({ model: thinking, sendReasoning })
      const ui = app.ui()
      await ui.say('Who?')
      const loaded = await app.chat.messages({ user: 'ada', conversation: 'talk' })
      for (const parts of [ui.lastMessage!.parts, loaded.at(-1)!.parts]) {
        const types = parts.map(({ type }) => type)
        expect([types.includes('reasoning'), types.includes('text')]).toEqual([sendReasoning, true])
      }
    }
  })

  it('runs tools with the context of the request, and takes options per request', async () => {
    const whose = defineTool({
      name: 'whose',
      input: z.object({}),
      run: () => `${getContext().projectId} ${(getContext().data as { user: string }).user}`,
    })
    let system: unknown
    const calling: Model = {
      ...{ name: 'calling', window: async () => 4096 },
      async *stream({ messages }) {
        system = messages[0]!.content
        if (messages.at(-1)!.role === 'tool') yield { type: 'text-delta', text: 'Yours.' }
        else yield { type: 'tool-call', id: 'c1', name: 'whose', arguments: '{}' }
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    }
    const app = await startApp({
      ...{ api: '/deep/er', model: calling, tools: [whose] },
      perRequest: ({ user, body }) => ({
        ...{ projectId: String(body.project), data: { user }, system: `You talk to ${user}.` },
        messageMetadata: { instance: 7 },
      }),
    })
    const ui = new UiChat(app.url, {
      id: 'a/b ü',
      body: { project: 'p1' },
      headers: { user: 'ada' },
    })
    await ui.say('Whose is it?')
    expect(ui.error).toBeUndefined()
    expect(ui.lastMessage!.parts.find(({ type }) => type === 'tool-whose')).toMatchObject({
      output: 'p1 ada',
    })
    expect(ui.lastMessage!.metadata).toMatchObject({ instance: 7, branch: 'main' })
    expect(system).toBe('You talk to ada.')
    expect((await app.fetch(`/${encodeURIComponent('a/b ü')}`)).status).toBe(200)
    await ui.resumeStream()
    expect(ui.status).toBe('ready')
    const elsewhere = await fetch(app.url.replace('/deep/er', '/api/chat'))
    expect([elsewhere.status, await elsewhere.text()]).toEqual([
      404,
      expect.stringContaining('"/deep/er"'),
    ])
  })

  it('shows a failure of the model, and only in our own words what else fails', async () => {
    const app = await startApp({ onError: error => `Sorry: ${(error as { code?: string }).code}` })
    const ui = app.ui()
    await ui.say('Fail, please.')
    expect([ui.status, ui.error?.message]).toEqual(['error', 'Sorry: model_refused'])
  })

  it.each([
    ['another method', '', { method: 'PUT' }, 404],
    ['a path below a stream', '/talk/stream/more', {}, 404],
    ['a name that is no name', '/%E0%A4%A', {}, 404],
    ['a body of another type', '', { method: 'POST', body: '{"id":"talk"}' }, 415],
    ['no JSON', '', { method: 'POST', headers: json, body: '{' }, 400],
    ['no message', '', { method: 'POST', headers: json, body: '{"id":"talk","messages":[]}' }, 400],
    [
      'a body that is too large',
      '',
      { method: 'POST', headers: json, body: `"${'x'.repeat(5000)}"` },
      413,
    ],
    [
      'results of a tool that a client has run',
      '',
      {
        method: 'POST',
        headers: json,
        body: JSON.stringify({
          id: 'talk',
          messages: [
            {
              id: 'x',
              role: 'assistant',
              parts: [
                { type: 'tool-look', toolCallId: 'c', state: 'output-available', output: 'x' },
              ],
            },
          ],
        }),
      },
      400,
    ],
  ])('refuses %s', async (_, path, init, status) => {
    const app = await startApp({ maxBodyBytes: 4000 })
    const response = await app.fetch(path, init)
    expect([response.status, await response.text()]).toEqual([
      status,
      expect.stringMatching(/\w \w/),
    ])
    expect(await app.of('ada').conversations()).toEqual([])
  })

  it('refuses options that make no sense when it is created', () => {
    const { model } = scriptedModel()
    const history = createHistory({ store: memoryStore() })
    const user = () => 'me'
    const create = (options: object) => () => createUIChatHandler(options as UIChatHandlerOptions)
    expect(create({ model, user })).toThrow(/"history"/)
    expect(create({ model, history })).toThrow(/"user".*\(\) => 'me'/)
    expect(create({ history, user })).toThrow(/"model"/)
    expect(create({ history, user, model, api: 'http://x/api/chat' })).toThrow(/"api"/)
    expect(create({ history, user, model, window: -1 })).toThrow(/"window"/)
  })
})
