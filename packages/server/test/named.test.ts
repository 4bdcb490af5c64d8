import type { MessageLike } from '@throughline/core/messages'
import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { apiClient } from '@throughline/test-tools/api-client'
import { someStores } from '@throughline/test-tools/every-store'
import { startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'

const user = (content: string) => ({ role: 'user', content })
const contentsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)
const retry = { 'x-stainless-retry-count': '1' }
const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]

describe.each(await someStores())('a conversation with a name of its own, on %s', (_, create) => {
  /** A server whose model numbers its answers, fails where it is told to, and looks where it is asked to look. */
  async function start() {
    const model = { asked: 0, isDown: false }
    const rule = ({ messages }: RulesRequest): RulesAnswer => {
      model.asked += 1
      if (model.isDown) throw new Error('down')
      const said = String(messages.at(-1)?.content)
      if (said === 'look') return { calls: [{ name: 'look' }] }
      return `Answer ${model.asked} to: ${said}`
    }
    const upstream = { ...readerUpstream(), model: () => rules(rule, { window: 8192 }) }
    const server = await startServer({ store: create(), upstream, retries: 0 })
    async function ask(
      messages: readonly MessageLike[],
      headers: Readonly<Record<string, string>> = {},
      path = '/c/kitchen',
    ) {
      const hasTools = ['look', 'a boat'].includes(String(messages.at(-1)!.content))
      const response = await fetch(`${server.url}${path}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'm', messages, ...(hasTools && { tools }) }),
      })
      const body = (await response.json()) as {
        choices?: { message: MessageLike }[]
        error?: { code: string }
      }
      return {
        status: response.status,
        error: body.error?.code,
        message: body.choices?.[0]?.message as MessageLike,
        branch: response.headers.get('x-throughline-branch'),
        conversation: response.headers.get('x-throughline-conversation'),
      }
    }
    /** What each branch of the conversation says. */
    async function lines(conversation = 'kitchen') {
      const [info] = await server.history.conversations({ only: conversation })
      const found: Record<string, readonly unknown[]> = {}
      for (const { branch } of info?.threads ?? [])
        found[branch] = contentsOf(await server.history.thread(conversation, { branch }).messages())
      return found
    }
    return { ...server, model, ask, lines }
  }

  it('gets one answer for an idempotency-key, and another try if that answer failed', async () => {
    const { model, ask, lines } = await start()
    const asked = (text: string, key: string) => ask([user(text)], { 'idempotency-key': key })
    const first = await asked('a', 'k1')
    expect((await asked('a', 'k1')).message).toEqual(first.message)
    expect(model.asked).toBe(1)
    expect(await asked('other', 'k1')).toMatchObject({ status: 422, error: 'key_reused' })
    model.isDown = true
    for (const _ of [1, 2]) expect((await asked('b', 'k2')).status).toBeGreaterThanOrEqual(500)
    model.isDown = false
    const third = await asked('b', 'k2')
    expect(third.message.content).toBe('Answer 4 to: b')
    expect((await asked('b', 'k2')).message).toEqual(third.message)
    expect((await asked('a', 'k1')).message).toEqual(first.message)
    expect(model.asked).toBe(4)
    expect((await ask([user('c')])).branch).toBe(third.branch)
    const all = await lines()
    expect(all[third.branch!]).toEqual([
      'a',
      'Answer 1 to: a',
      'b',
      'Answer 4 to: b',
      'c',
      'Answer 5 to: c',
    ])
    for (const line of Object.values(all))
      expect(line.filter(text => text === 'b').length).toBeLessThan(2)
  })

  it('gets one answer for a request that a client library sends again, and another try if it failed', async () => {
    const { model, ask, lines } = await start()
    const first = await ask([user('a')])
    expect((await ask([user('a')], retry)).message).toEqual(first.message)
    // Not sent again: said twice.
    await ask([user('a')])
    expect(await lines()).toEqual({ main: ['a', 'Answer 1 to: a', 'a', 'Answer 2 to: a'] })
    model.isDown = true
    expect((await ask([user('b')])).status).toBeGreaterThanOrEqual(500)
    model.isDown = false
    const { branch, message } = await ask([user('b')], retry)
    expect((await lines())[branch!]!.slice(4)).toEqual(['b', message.content])
  })

  it('gets one answer for results of tools that are sent again', async () => {
    const { model, ask, lines } = await start()
    const { message } = await ask([user('look')])
    const [call] = message.tool_calls as { id: string }[]
    expect((await ask([user('look')], retry)).message).toEqual(message)
    const result = { role: 'tool', tool_call_id: call!.id, content: 'a boat' }
    model.isDown = true
    expect((await ask([result])).status).toBeGreaterThanOrEqual(500)
    model.isDown = false
    const answer = await ask([result], retry)
    expect(answer.message.content).toBe('Answer 3 to: a boat')
    expect((await ask([result], retry)).message).toEqual(answer.message)
    expect(model.asked).toBe(3)
    const line = (await lines())[answer.branch!]!
    expect(line.filter(text => text === 'a boat')).toHaveLength(1)
    expect(line.at(-1)).toBe('Answer 3 to: a boat')
  })

  it('goes on where its client was, whatever a person asks beside it', async () => {
    const { url, ask, lines } = await start()
    const api = apiClient(url)
    await ask([user('a')])
    await ask([user('b')])
    for await (const _ of api.events('/conversations/kitchen/edit', {
      body: { at: 3, input: 'B' },
    }));
    const { branch } = await ask([user('c')])
    expect(branch).toBe('main')
    expect((await lines()).main!.filter((_, at) => at % 2 === 0)).toEqual(['a', 'b', 'c'])
    // A branch that nobody has written to, and what is asked beside the conversation, are not its end.
    await api.post('/conversations/kitchen/fork', { at: 2, as: 'tried' })
    await ask([
      ...(await sent(api)),
      user('Generate a concise 3-7 word title for this conversation'),
    ])
    expect((await ask([user('d')])).branch).toBe('main')
    for await (const _ of api.events('/conversations/kitchen/send', { body: { input: 'e' } }));
    expect((await ask([user('f')])).branch).toBe('main')
  })

  const sent = async (api: ReturnType<typeof apiClient>) => {
    const { body } = await api.get('/conversations/kitchen/entries')
    return body.entries.map(({ role, content }: MessageLike) => ({ role, content }))
  }

  it('is one line, though its client sends all of a session and then forgets it', async () => {
    const { ask, lines } = await start()
    const all: MessageLike[] = []
    for (const session of [1, 2, 3]) {
      const list: MessageLike[] = []
      for (const text of ['turn on the light', 'and off', `that was session ${session}`]) {
        list.push(user(text))
        const { message } = await ask([
          { role: 'system', content: `It is ${all.length}.` },
          ...list.slice(-4),
        ])
        list.push(message)
        all.push(list.at(-2)!, message)
      }
    }
    expect(Object.keys(await lines())).toEqual(['main'])
    expect((await lines()).main!.filter(text => !String(text).startsWith('It is'))).toEqual(
      contentsOf(all),
    )
  })

  it('is one line for two devices that talk at once, each with its own list', async () => {
    const { ask, lines } = await start()
    const all: MessageLike[] = []
    const lists: MessageLike[][] = [[], []]
    for (const text of ['hello', 'how warm is it?', 'thank you'])
      for (const [device, list] of lists.entries()) {
        list.push(user(`${text} (device ${device})`))
        list.push((await ask(list)).message)
        all.push(...list.slice(-2))
      }
    expect(await lines()).toEqual({ main: contentsOf(all) })
  })

  it('goes on with tools whose client sends everything, and answers once more on a branch', async () => {
    const { ask, lines } = await start()
    const list: MessageLike[] = [user('look')]
    list.push((await ask(list)).message)
    const [call] = list[1]!.tool_calls as { id: string }[]
    list.push({ role: 'tool', tool_call_id: call!.id, content: 'a boat' })
    list.push((await ask(list)).message)
    list.push(user('b'))
    const first = (await ask(list)).message
    expect((await lines()).main!.slice(2)).toEqual([
      'a boat',
      'Answer 2 to: a boat',
      'b',
      first.content,
    ])
    const other = await ask(list)
    expect(other.branch).not.toBe('main')
    expect(other.message).not.toEqual(first)
    list.push(other.message, user('c'))
    expect((await ask(list)).branch).toBe(other.branch)
  })

  it('has nothing in it of what is asked beside it', async () => {
    const { ask, lines } = await start()
    await ask([user('a')])
    const { conversation } = await ask([user('### Task:\nGenerate a concise title')])
    expect(conversation).toMatch(/^throughline%3Aside/)
    expect(await lines()).toEqual({ main: ['a', 'Answer 1 to: a'] })
  })

  it('is not needed by a first message that a client library sends again', async () => {
    const { history, model, ask } = await start()
    const first = await ask([user('hi')], {}, '')
    expect((await ask([user('hi')], retry, '')).message).toEqual(first.message)
    expect(await history.conversations()).toHaveLength(1)
    // Somebody else says the same.
    const other = await ask([user('hi')], {}, '')
    expect(other.conversation).not.toBe(first.conversation)
    await ask([user('hi')], { 'idempotency-key': 'k1' }, '')
    await ask([user('hi')], { 'idempotency-key': 'k1', ...retry }, '')
    await ask([user('hi')], { 'idempotency-key': 'k2' }, '')
    expect(model.asked).toBe(4)
    expect(await history.conversations()).toHaveLength(4)
    // A conversation that has gone on is not meant.
    const long = [user('hello'), (await ask([user('hello')], {}, '')).message, user('more')]
    await ask(long, {}, '')
    await ask([user('hello')], retry, '')
    expect(await history.conversations()).toHaveLength(6)
  })
})

describe('a name that cannot be kept', () => {
  const faces: readonly (readonly [path: string, body: object])[] = [
    ['/v1/chat/completions', { messages: [user('Hello.')] }],
    ['/v1/responses', { input: 'Hello.' }],
    ['/v1/messages', { messages: [user('Hello.')], max_tokens: 100 }],
    ['/api/chat', { messages: [user('Hello.')], stream: false }],
  ]

  it.each(faces)('is refused in words on %s, and never taken for none', async (path, body) => {
    const { url, store } = await startServer({ upstream: readerUpstream() })
    const ask = (headers: Readonly<Record<string, string>>, more: object = {}) =>
      fetch(`${url}${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ model: 'reader', ...body, ...more }),
      })
    const refused = async (response: Response, words: string) => {
      expect(await response.text()).toContain(words)
      expect(response.status).toBe(400)
    }
    const long = 'n'.repeat(301)
    const unusable = 'must be a name of at most 300 characters on one line'
    for (const name of [
      'x-throughline-conversation',
      'x-openwebui-chat-id',
      'x-session-id',
      'x-abc-session-id',
    ])
      await refused(await ask({ [name]: long }), `The header ${name} ${unusable}`)
    await refused(
      await ask({ 'x-throughline-conversation': 'c', 'x-throughline-actor': long }),
      `The header x-throughline-actor ${unusable}`,
    )
    await refused(await ask({ 'x-throughline-conversation': 'a\tb' }), unusable)
    const reserved = 'names that begin with \\"throughline:\\" are the library\'s own'
    await refused(await ask({ 'x-throughline-conversation': 'throughline:side:1' }), reserved)
    if (path === '/v1/responses') {
      await refused(
        await ask({}, { conversation: long }),
        `The field \\"conversation\\" ${unusable}`,
      )
      await refused(await ask({}, { conversation: 'throughline:side:1' }), reserved)
    }
    expect(await store.conversations('default')).toEqual([])
    const longest = await ask({ 'x-throughline-conversation': 'n'.repeat(300) })
    expect(longest.status).toBe(200)
    await longest.text()
    expect((await store.conversations('default'))[0]!.conversation).toBe('n'.repeat(300))
  })

  it('is refused where the page or useChat sends it', async () => {
    const { url } = await startServer({ upstream: readerUpstream() })
    const api = `${url}/throughline/v1`
    const send = await fetch(`${api}/conversations/throughline%3Aside%3A1/send`, {
      method: 'POST',
      body: JSON.stringify({ input: 'Hello.' }),
    })
    expect([send.status, await send.text()]).toEqual([400, expect.stringContaining('is reserved')])
    const message = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Hello.' }] }
    const chat = await fetch(`${api}/ui-chat`, {
      method: 'POST',
      body: JSON.stringify({
        id: 'throughline:side:1',
        messages: [message],
        trigger: 'submit-message',
      }),
    })
    expect([chat.status, await chat.text()]).toEqual([400, expect.stringContaining('is reserved')])
  })
})
