import type { MessageLike } from '@throughline/core/messages'
import { type RulesAnswer, type RulesRequest, rules } from '@throughline/models/reader'
import { someStores } from '@throughline/test-tools/every-store'
import { type StartedServer, startServer } from '@throughline/test-tools/start-server'
import { describe, expect, it } from 'vitest'
import { readerUpstream } from '../src/upstream/reader-upstream.ts'
import type { Upstream } from '../src/upstream/upstream.ts'

const user = (content: string) => ({ role: 'user', content })
const contentsOf = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)

/** An upstream whose model follows a rule. */
const ruled = (rule: (request: RulesRequest) => RulesAnswer | Promise<RulesAnswer>): Upstream => ({
  ...readerUpstream(),
  model: () => rules(rule, { window: 8192 }),
})

/** Answers every message differently, and the same message once more differently too. */
function echo() {
  let count = 0
  return ruled(({ messages }) => `Answer ${++count} to: ${String(messages.at(-1)?.content)}`)
}

/** A client of `/v1/chat/completions` that keeps its own list. */
function client({ url }: StartedServer, headers: Readonly<Record<string, string>> = {}) {
  const list: MessageLike[] = []
  async function ask(
    messages: readonly MessageLike[],
    more: Readonly<Record<string, string>> = {},
  ) {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers, ...more },
      body: JSON.stringify({ model: 'm', messages }),
    })
    const body = (await response.json()) as { choices?: { message: MessageLike }[] }
    return {
      status: response.status,
      message: body.choices?.[0]?.message,
      headers: response.headers,
    }
  }
  return {
    list,
    ask,
    /** Says something; `keep` is what the client sends of its list. */
    async say(text: string, keep = (all: readonly MessageLike[]) => all) {
      list.push(user(text))
      const { message } = await ask(keep(list))
      list.push(message!)
      return String(message!.content)
    },
  }
}

const lastOf = (count: number) => (all: readonly MessageLike[]) => all.slice(-count)

describe.each(await someStores())('which conversation a request belongs to, on %s', (_, create) => {
  const start = (upstream = echo()) => startServer({ store: create(), upstream })

  async function linesOf({ history }: StartedServer) {
    const lines: unknown[][] = []
    for (const { conversation, threads } of await history.conversations())
      for (const { actor, branch } of threads)
        lines.push(contentsOf(await history.thread(conversation, { actor, branch }).messages()))
    return lines
  }

  it('is one, where the client sends everything each time', async () => {
    const server = await start()
    const one = client(server)
    for (const text of ['a', 'b', 'a', 'c']) await one.say(text)
    expect(await linesOf(server)).toEqual([contentsOf(one.list)])
  })

  it('is one, where the client sends only the end of its list', async () => {
    const server = await start()
    const one = client(server)
    for (let turn = 1; turn <= 30; turn++) await one.say(`question ${turn}`, lastOf(5))
    expect(await linesOf(server)).toEqual([contentsOf(one.list)])
  })

  it('is one, where the client cuts out the middle of its list', async () => {
    const server = await start()
    const one = client(server)
    for (let turn = 1; turn <= 12; turn++)
      await one.say(`question ${turn}`, all =>
        all.length < 8 ? all : [...all.slice(0, 2), ...all.slice(-5)],
      )
    expect(await linesOf(server)).toEqual([contentsOf(one.list)])
  })

  it('is named by a header or the path, and then the body holds what is new', async () => {
    const server = await start()
    const named = client(server, { 'x-throughline-conversation': 'kitchen' })
    await named.say('a', lastOf(1))
    const response = await fetch(`${server.url}/c/kitchen/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify({ model: 'm', messages: [user('b')] }),
    })
    expect(response.headers.get('x-throughline-conversation')).toBe('kitchen')
    expect(await linesOf(server)).toEqual([['a', 'Answer 1 to: a', 'b', 'Answer 2 to: b']])
    const whole = client(server, {
      'x-throughline-conversation': 'kitchen',
      'x-throughline-history': 'full',
    })
    whole.list.push(user('a'), { role: 'assistant', content: 'Answer 1 to: a' })
    expect(await server.history.conversations()).toHaveLength(1)
  })

  it('is never merged with another that begins alike', async () => {
    const server = await start(
      ruled(({ messages }) => `You said ${String(messages.at(-1)?.content)}`),
    )
    const [one, other] = [client(server), client(server)]
    for (const text of ['hi', 'north', 'more']) await one.say(text)
    for (const text of ['hi', 'south', 'more']) await other.say(text)
    const lines = await linesOf(server)
    expect(lines).toContainEqual(contentsOf(one.list))
    expect(lines).toContainEqual(contentsOf(other.list))
  })

  it('is another one where the same talk is had twice', async () => {
    const server = await start(
      ruled(({ messages }) => `You said ${String(messages.at(-1)?.content)}`),
    )
    for (const one of [client(server), client(server)])
      for (const text of ['a', 'b', 'c']) {
        await one.say(text)
        // Times tell the talks apart.
        await new Promise(resolve => setTimeout(resolve, 2))
      }
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines[0]).toEqual(lines[1])
    expect(await server.history.conversations()).toHaveLength(2)
  })

  it('is a new one, where the end of a list fits two conversations', async () => {
    const server = await start(ruled(() => 'Done.'))
    const [one, other] = [client(server), client(server)]
    await one.say('in the kitchen')
    await other.say('in the garden')
    for (const text of ['light on', 'light off']) {
      await one.say(text)
      await other.say(text)
    }
    await one.say('and now?', lastOf(4))
    const last = server.served.at(-1)!.place
    expect(last).toMatchObject({ kind: 'new', why: expect.stringContaining('fit 2 conversations') })
  })

  it('branches where an earlier message is edited, and goes on there', async () => {
    const server = await start()
    const one = client(server)
    for (const text of ['a', 'b', 'c']) await one.say(text)
    const before = contentsOf(one.list)
    one.list.splice(2)
    for (const text of ['B', 'C']) await one.say(text)
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(before)
    expect(lines).toContainEqual(contentsOf(one.list))
    expect(await server.history.conversations()).toHaveLength(1)
  })

  it('branches where a message far back is edited', async () => {
    const server = await start()
    const one = client(server)
    for (let turn = 1; turn <= 12; turn++) await one.say(`question ${turn}`)
    const edited = [...one.list.slice(0, 4), user('another question'), ...one.list.slice(5)]
    const { message } = await one.ask([...edited, user('and now?')])
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(contentsOf(one.list))
    expect(lines).toContainEqual(contentsOf([...edited, user('and now?'), message!]))
    expect(await server.history.conversations()).toHaveLength(1)
  })

  it('branches where an answer is asked for again, and goes on with the answer that was kept', async () => {
    const server = await start()
    const one = client(server)
    for (const text of ['a', 'b']) await one.say(text)
    const first = contentsOf(one.list)
    one.list.splice(2)
    await one.say('b')
    const second = contentsOf(one.list)
    expect(second).not.toEqual(first)
    await one.say('c')
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(first)
    expect(lines).toContainEqual(contentsOf(one.list))
  })

  it('gives a repeated request the stored answer, once', async () => {
    const server = await start()
    const one = client(server)
    const answer = await one.say('a')
    await one.say('b')
    const again = await one.ask(one.list.slice(0, 3), { 'x-stainless-retry-count': '1' })
    expect(again.message!.content).toBe(one.list[3]!.content)
    expect(await linesOf(server)).toEqual([contentsOf(one.list)])
    expect(answer).toBe('Answer 1 to: a')
  })

  it('appends a message once, however often its answer failed', async () => {
    let fails = 2
    const flaky = ruled(() => {
      if (fails-- > 0) throw new Error('down')
      return 'At last.'
    })
    const server = await start(flaky)
    const one = client(server)
    one.list.push(user('a'))
    for (const retry of ['0', '1']) {
      const { status } = await one.ask(one.list, { 'x-stainless-retry-count': retry })
      expect(status).toBeGreaterThanOrEqual(400)
    }
    const { message } = await one.ask(one.list, { 'x-stainless-retry-count': '2' })
    one.list.push(message!)
    await one.say('b')
    const lines = await linesOf(server)
    expect(lines).toContainEqual(contentsOf(one.list))
    for (const line of lines) expect(line.filter(content => content === 'a').length).toBeLessThan(2)
  })

  it('is a branch of the conversation that a client names, once the client has compacted it', async () => {
    const server = await start()
    const one = client(server, { 'thread-id': 't1' })
    for (const text of ['a', 'b']) await one.say(text)
    one.list.splice(0, 4, user('Summary: we said a and b.'))
    for (const text of ['c', 'd']) await one.say(text)
    const [conversation, ...others] = await server.history.conversations()
    expect(others).toEqual([])
    expect(conversation!.conversation).toBe('codex:t1')
    const lines = await linesOf(server)
    expect(lines).toHaveLength(2)
    expect(lines).toContainEqual(contentsOf(one.list))
  })

  it('takes what a client asks beside the conversation for no part of it', async () => {
    const server = await start()
    const chat = { 'x-openwebui-chat-id': 'w1' }
    const one = client(server, chat)
    const task = () => client(server, chat).say('### Task:\nGenerate a concise, 3-5 word title')
    for (const text of ['a', 'b', 'c']) {
      await one.say(text)
      await task()
      await task()
    }
    const main = server.history.thread('open-webui:w1')
    expect(contentsOf(await main.messages())).toEqual(contentsOf(one.list))
  })

  it('keeps beside the conversation a history that ends in a task', async () => {
    const server = await start()
    const one = client(server)
    await one.say('a')
    await one.ask([...one.list, user('Generate a concise 3-7 word title for this conversation')])
    await one.say('b')
    const [conversation, ...others] = await server.history.conversations()
    expect(others).toEqual([])
    const main = server.history.thread(conversation!.conversation)
    expect(contentsOf(await main.messages())).toEqual(contentsOf(one.list))
  })

  it('goes on with a turn whose tools the client runs, also without ids', async () => {
    const tools = [{ type: 'function', function: { name: 'look', parameters: { type: 'object' } } }]
    const server = await start(
      ruled(({ messages }) => {
        const results = messages.filter(({ role }) => role === 'tool').length
        return results % 2 === 0 && messages.at(-1)?.role === 'user'
          ? { calls: [{ name: 'look' }, { name: 'look' }] }
          : `Seen ${results}`
      }),
    )
    const list: MessageLike[] = []
    const send = async () => {
      const response = await fetch(`${server.url}/api/chat`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', messages: list, tools, stream: false }),
      })
      const { message } = (await response.json()) as {
        message: MessageLike & { tool_calls?: unknown[] }
      }
      const { tool_calls: calls, ...rest } = message
      // Home Assistant sends calls again without their ids.
      const bare = calls?.map(call => ({ function: (call as { function: unknown }).function }))
      list.push(bare ? { ...rest, tool_calls: bare } : rest)
      return message
    }
    for (const text of ['first', 'second']) {
      list.push(user(text))
      expect((await send()).tool_calls).toHaveLength(2)
      list.push({ role: 'tool', content: `${text} 1`, tool_name: 'look' })
      list.push({ role: 'tool', content: `${text} 2`, tool_name: 'look' })
      await send()
    }
    const [conversation, ...others] = await server.history.conversations()
    expect(others).toEqual([])
    const thread = server.history.thread(conversation!.conversation)
    expect(contentsOf(await thread.messages())).toEqual(contentsOf(list))
    expect((await thread.turns()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })
})
