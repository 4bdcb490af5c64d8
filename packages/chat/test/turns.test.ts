import { createHistory } from '@throughline/history'
import { type Model, reader } from '@throughline/models'
import { memoryStore } from '@throughline/stores'
import {
  errorIn,
  expectGoesOn,
  expectValid,
  inChat,
  kindsOf,
  newHistory,
  partsOf,
  shownIn,
  statusesOf,
} from '@throughline/test-tools/chat-help'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createChat, defineTool } from '../src/index.ts'

/** A model that waits until it is told to go on. */
function gate(text = 'At last.') {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  const asked = { count: 0 }
  const model: Model = {
    name: 'gate',
    window: async () => 4096,
    async *stream() {
      asked.count += 1
      yield { type: 'text-delta', text: 'Wait. ' }
      await opened
      yield { type: 'text-delta', text }
      yield { type: 'end', reason: 'stop', usage: {} }
    },
  }
  return { model, open: () => open(), asked }
}

async function readUntilText(parts: AsyncIterator<{ type: string }>): Promise<void> {
  for (;;) {
    const { value } = await parts.next()
    if (value.type === 'text-delta') return
  }
}

describe('a turn that is open', () => {
  it('refuses a second message, and is not disturbed by it', async () => {
    const history = newHistory()
    const { model, open } = gate()
    const chat = createChat({ history, model })
    const first = chat.send('One', inChat)
    const parts = first[Symbol.asyncIterator]()
    await readUntilText(parts)
    const second = chat.send('Two', inChat)
    const refused = await partsOf(second)
    expect(kindsOf(refused)).toEqual(['error', 'end'])
    expect(errorIn(refused)).toMatchObject({ name: 'LeaseError', code: 'turn_open' })
    await expect(second.result()).rejects.toMatchObject({ code: 'turn_open' })
    open()
    for (let next = await parts.next(); !next.done; next = await parts.next());
    expect((await first.result()).text).toBe('Wait. At last.')
    const thread = history.thread('chat')
    expect((await thread.messages()).map(({ content }) => content)).toEqual([
      'One',
      'Wait. At last.',
    ])
  })

  it('does not disturb other conversations, actors and branches', async () => {
    const history = newHistory()
    const chat = createChat({ history, model: reader() })
    await chat.send('My code is 12.', inChat).result()
    const { model, open } = gate()
    const held = createChat({ history, model }).send('One', inChat)
    const parts = held[Symbol.asyncIterator]()
    await readUntilText(parts)
    const { key } = await history.thread('chat').fork({ at: 2, branch: 'edit' })
    const others = [
      { conversation: 'other' },
      { ...inChat, actor: 'editor' },
      { ...inChat, branch: key.branch },
    ]
    for (const options of others) {
      expect((await chat.send('What is my code?', options).result()).status).toBe('completed')
      await expect(chat.send('Two', inChat).result()).rejects.toMatchObject({ code: 'turn_open' })
    }
    open()
    for (let next = await parts.next(); !next.done; next = await parts.next());
    expect((await held.result()).text).toBe('Wait. At last.')
    const texts = async (options: { conversation: string; actor?: string; branch?: string }) =>
      (await history.thread(options.conversation, options).messages()).map(({ content }) => content)
    expect(await texts(inChat)).toEqual([
      'My code is 12.',
      expect.any(String),
      'One',
      'Wait. At last.',
    ])
    expect(await texts({ ...inChat, branch: 'edit' })).toEqual([
      'My code is 12.',
      expect.any(String),
      'What is my code?',
      expect.stringContaining('12'),
    ])
    for (const other of others.slice(0, 2)) expect(await texts(other)).toHaveLength(2)
  })

  it('that lost its lease to another instance ends with an error, and writes nothing more', async () => {
    const store = memoryStore()
    const late = createHistory({ store, leaseMs: 5 })
    const { model, open } = gate()
    const reply = createChat({ history: late, model }).send('One', inChat)
    const iterator = reply[Symbol.asyncIterator]()
    await readUntilText(iterator)
    // Its renewals do not get through, as if the process had been stopped: another one takes over.
    const { renew } = store
    store.renew = () => new Promise(() => {})
    const other = createHistory({ store })
    const chat = createChat({ history: other, model: reader() })
    await expect
      .poll(
        async () =>
          (await other.thread('chat').turns())[0]?.status === 'interrupted' && isExpired(store),
      )
      .toBe(true)
    await chat.send('My code is 12.', inChat).result()
    store.renew = renew
    const log = await other.thread('chat').messages()
    open()
    const parts = []
    for (let next = await iterator.next(); !next.done; next = await iterator.next())
      parts.push(next.value)
    expect(kindsOf(parts).slice(-2)).toEqual(['error', 'end'])
    expect(errorIn(parts)).toMatchObject({ code: 'lease_lost' })
    await expect(reply.result()).rejects.toMatchObject({ code: 'lease_lost' })
    expect(await other.thread('chat').messages()).toEqual(log)
    expect(await statusesOf(other.thread('chat'))).toEqual(['interrupted', 'completed'])
    await expectGoesOn(text => chat.send(text, inChat), other.thread('chat'))
  })

  it('whose lease is lost while a tool runs stops the tool and ends with an error', async () => {
    const store = memoryStore()
    const late = createHistory({ store, leaseMs: 30 })
    let isStopped = false
    const wait = defineTool({
      name: 'wait',
      input: z.object({}),
      run: async (_, { signal }) => {
        const { renew } = store
        store.renew = () => new Promise(() => {})
        await expect.poll(() => isExpired(store)).toBe(true)
        await createChat({ history: createHistory({ store }), model: reader() })
          .send('Hello.', inChat)
          .result()
        store.renew = renew
        await new Promise(resolve => signal.addEventListener('abort', resolve))
        isStopped = true
      },
    })
    const reply = createChat({ history: late, model: reader(), tools: [wait] }).send(
      'call wait with {}',
      inChat,
    )
    const parts = await partsOf(reply)
    expect(errorIn(parts)?.code).toBe('lease_lost')
    await expect.poll(() => isStopped).toBe(true)
    const thread = createHistory({ store }).thread('chat')
    expect(await statusesOf(thread)).toEqual(['interrupted', 'completed'])
    await expectValid(thread)
  })
})

const isExpired = async (store: ReturnType<typeof memoryStore>) => {
  const head = await store.head({
    tenant: 'default',
    conversation: 'chat',
    actor: 'assistant',
    branch: 'main',
  })
  return head?.open?.expiresInMs === 0
}

describe('the same key', () => {
  it('gives the same answer, once', async () => {
    const history = newHistory()
    let runs = 0
    const tools = [defineTool({ name: 'count', input: z.object({}), run: () => ++runs })]
    const chat = createChat({ history, model: reader(), tools, notes: true })
    const first = await chat.send('call count with {}', { ...inChat, key: 'k1' }).result()
    const again = chat.send('call count with {}', { ...inChat, key: 'k1' })
    const parts = await partsOf(again)
    expect(kindsOf(parts)).toEqual(['tool-call', 'tool-result', 'text-delta', 'end'])
    expect(shownIn(parts)).toBe(first.text)
    expect(await again.result()).toMatchObject({
      status: 'completed',
      turn: 1,
      text: first.text,
      rounds: 0,
    })
    expect(JSON.stringify(parts)).not.toContain('→')
    expect(runs).toBe(1)
    expect(await statusesOf(history.thread('chat'))).toEqual(['completed'])
  })

  it('says again which tool failed, whatever its result says', async () => {
    const run = () => 'Error: is the first word of the log'
    const tools = [
      defineTool({ name: 'tail', input: z.object({}), run }),
      defineTool({
        name: 'fail',
        input: z.object({}),
        run: () => Promise.reject(new Error('no disk')),
      }),
    ]
    const chat = createChat({ history: newHistory(), model: reader(), tools })
    for (const [key, isError] of [
      ['tail', false],
      ['fail', true],
    ] as const) {
      for (let times = 0; times < 2; times++) {
        const parts = await partsOf(chat.send(`call ${key} with {}`, { ...inChat, key }))
        expect(parts.filter(({ type }) => type === 'tool-result')).toMatchObject([{ isError }])
      }
    }
  })

  it('with another message is refused', async () => {
    const chat = createChat({ history: newHistory(), model: reader() })
    await chat.send('One.', { ...inChat, key: 'k1' }).result()
    await expect(chat.send('Two.', { ...inChat, key: 'k1' }).result()).rejects.toMatchObject({
      code: 'key_reused',
    })
  })

  it('of a turn that is still open says so, and of one that was cancelled gives what there was', async () => {
    const history = newHistory()
    const { model, open } = gate()
    const chat = createChat({ history, model })
    const first = chat.send('One', { ...inChat, key: 'k1' })
    const iterator = first[Symbol.asyncIterator]()
    await readUntilText(iterator)
    await expect(chat.send('One', { ...inChat, key: 'k1' }).result()).rejects.toMatchObject({
      code: 'turn_open',
    })
    open()
    await iterator.return?.()
    const live = await first.result()
    const again = chat.send('One', { ...inChat, key: 'k1' })
    const parts = await partsOf(again)
    expect(kindsOf(parts)).toEqual(['text-delta', 'end'])
    const { status, turn, text, messages } = live
    expect(status).toBe('cancelled')
    expect(await again.result()).toMatchObject({ status, turn, text, messages })
  })

  it('shows nothing where nothing was said', async () => {
    const silent: Model = {
      name: 'silent',
      window: async () => 4096,
      async *stream() {
        yield { type: 'end', reason: 'stop', usage: {} }
      },
    }
    const chat = createChat({ history: newHistory(), model: silent })
    expect((await chat.send('Hello?', { ...inChat, key: 'k1' }).result()).text).toBe('')
    expect((await chat.send('Hello?', { ...inChat, key: 'k1' }).result()).text).toBe('')
  })
})

it('has the turn in the log before it says so', async () => {
  const history = newHistory()
  for await (const part of createChat({ history, model: reader(), notes: true }).send(
    'My code is 12.',
    inChat,
  )) {
    if (part.type === 'note' || part.type === 'end')
      expect(await statusesOf(history.thread('chat'))).toEqual(['completed'])
  }
})

it('refuses bad options when the chat is created', () => {
  const model = reader()
  const tool = (name: string) => defineTool({ name, input: z.object({}), run: () => '' })
  const bad = [
    { model: {} as Model },
    { model, retries: -1 },
    { model, maxRounds: 0 },
    { model, window: Number.NaN },
    { model, tools: [tool('a'), tool('a')] },
    { model, tools: [tool('read_result')] },
    { model, tools: [tool('write_note_to_self')] },
  ]
  for (const options of bad)
    expect(() => createChat(options)).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  expect(() => tool('no name')).toThrow(expect.objectContaining({ code: 'invalid_option' }))
  expect(() => createChat({ model }).send('Hello', inChat)).toThrow(
    'send, edit, regenerate and context need one',
  )
  const chat = createChat({ model, history: newHistory() })
  expect(() => chat.send({ role: 'assistant', content: 'Hello' }, inChat)).toThrow(
    'begins with a user message',
  )
})
