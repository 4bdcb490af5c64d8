import { fit, spongebob } from '@throughline/core/context'
import { createCounter, words } from '@throughline/core/counters'
import type { MessageLike } from '@throughline/core/messages'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import { createHistory } from './create-history.ts'
import type { Thread } from './thread.ts'

const user = (content: unknown): MessageLike => ({ role: 'user', content })
const assistant = (content: string): MessageLike => ({ role: 'assistant', content })
const call = (id: string): MessageLike => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id, function: { name: 'look', arguments: {} } }],
})
const result = (id: string, content: string): MessageLike => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const chatter = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) =>
    (from + n) % 2 ? assistant(`answer ${from + n}`) : user(`question ${from + n} on the harbour`),
  )
const inOneList = (messages: readonly MessageLike[]) =>
  messages.map(message => ({ ...message, time: 1 }))
const sent = (messages: readonly object[]) =>
  JSON.stringify(messages.map(({ ...message }) => message))

const room = { window: 400, count: words() }
const options = { ...room, now: () => 1 }
const open = (store: Store = memoryStore(), rest: object = {}) =>
  createHistory({ store, ...options, ...rest })

async function begin(thread: Thread, text = 'hello') {
  const begun = await thread.begin(user(text))
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}

describe('bad options', () => {
  it.each([
    [{ window: Number.NaN }, 'window'],
    [{ reserve: 9999 }, 'reserve'],
    [{ shape: 'alternate' as never }, 'shape'],
    [{ at: -1 }, 'at'],
    [{ at: Number.NaN }, 'at'],
  ])('are refused: %o', async (bad, option) => {
    const thread = open().thread('x')
    await thread.seed(...chatter(4))
    await expect(thread.context(bad)).rejects.toMatchObject({ code: 'invalid_option', option })
  })

  it('are refused by the history itself', () => {
    expect(() => open(memoryStore(), { window: Number.NaN })).toThrow('Option "window"')
  })

  it('take what lies beyond the head for the head, and 0 for the beginning', async () => {
    const thread = open().thread('x')
    await thread.seed(...chatter(4))
    expect((await thread.context({ at: 99 })).messages).toHaveLength(4)
    expect((await thread.context({ at: 0 })).messages).toHaveLength(0)
    expect(await thread.messages({ at: 99 })).toHaveLength(4)
  })
})

describe('a long thread', () => {
  it('goes on when a checkpoint could not be kept', async () => {
    const store = memoryStore()
    let left = 1
    const failing: Store = {
      ...store,
      saveCache: (...given) =>
        left-- > 0 ? Promise.reject(new Error('no room')) : store.saveCache(...given),
    }
    const thread = open(failing).thread('x')
    const all = chatter(isLong ? 10_000 : 1_300)
    await thread.seed(...all)
    const expected = sent(fit(inOneList(all), room).messages)
    for (let n = 0; n < 3; n++) expect(sent((await thread.context()).messages)).toBe(expected)
  })

  it('goes on with wide rounds, and with messages whose time cannot be read', async () => {
    const width = isLong ? 20 : 3
    const rounds = Array.from({ length: 520 }, (_, n) => [
      {
        ...call(`${n}-0`),
        tool_calls: Array.from({ length: width }, (_, k) => ({
          id: `${n}-${k}`,
          function: { name: 'look', arguments: {} },
        })),
      },
      ...Array.from({ length: width }, (_, k) => result(`${n}-${k}`, `shelf ${k}`)),
    ]).flat()
    const wide = open().thread('wide')
    await wide.seed(user('look everywhere'), ...rounds)
    for (let n = 0; n < 3; n++) await wide.context({ policy: spongebob() })
    const store = memoryStore()
    const timeless = (count: number, from: number) =>
      chatter(count, from).map(message => ({ ...message, time: null }) as MessageLike)
    for (const from of [0, 600]) {
      const thread = open(store).thread('timeless')
      await thread.seed(...timeless(600, from))
      await thread.context()
    }
    expect(await open(store).check()).toEqual([])
  })

  it('begins anew when reading it failed half way', async () => {
    const store = memoryStore()
    await open(store)
      .thread('x')
      .seed({ role: 'system', content: 'seeded' }, ...chatter(1200))
    const right = await open(store).thread('x').context()
    let left = 1
    const failing: Store = {
      ...store,
      entries: (key, range) => {
        if (range?.to === 1 && left-- > 0) throw new Error('the connection broke')
        return store.entries(key, range)
      },
    }
    const thread = open(failing).thread('x')
    await expect(thread.context()).rejects.toThrow('the connection broke')
    const context = await thread.context()
    expect(sent(context.messages)).toBe(sent(right.messages))
    const saved = await thread.saveCall(context, { model: 'm' })
    expect(sent(await thread.replay(saved))).toBe(sent(context.messages))
  })

  it('is the same after a restart for a counter that gives fractions', async () => {
    const store = memoryStore()
    const whole = createCounter({ id: 'thirds', exact: true, text: text => text.length / 3 })
    const count = {
      ...whole,
      message: (message: Parameters<typeof whole.message>[0]) => message.text.length / 4 + 3.9,
    }
    const all = chatter(1100)
    const history = createHistory({ store, ...options, count })
    await history.thread('x').seed(...all)
    await history.thread('x').context()
    for (const window of [90, 150, 210, 333, 400]) {
      const again = await createHistory({ store, ...options, count })
        .thread('x')
        .context({ window })
      expect(sent(again.messages)).toBe(sent(fit(inOneList(all), { window, count }).messages))
    }
  })

  it('does not lend a branch a checkpoint whose last unit may still grow', async () => {
    const store = memoryStore()
    const main = open(store).thread('x')
    await main.seed(...chatter(511), call('c1'), user('on main'), ...chatter(20))
    await main.context()
    await main.fork({ at: 512, branch: 'b' })
    const branch = open(store).thread('x', { branch: 'b' })
    await branch.seed(result('c1', 'the real result'))
    expect(sent((await branch.context()).messages)).toContain('the real result')
  })
})

describe('a turn', () => {
  it('logs a calibration with whatever is written next', async () => {
    const calibration = { model: 'm', counter: words().id, factor: 1.2 }
    for (const end of [
      (turn: Awaited<ReturnType<typeof begin>>) => turn.fail('x'),
      (turn: Awaited<ReturnType<typeof begin>>) => turn.cancel(),
      (turn: Awaited<ReturnType<typeof begin>>) => turn.complete(assistant(''), { note: 'n' }),
      (turn: Awaited<ReturnType<typeof begin>>) => turn.complete(assistant('a')),
    ]) {
      const store = memoryStore()
      const turn = await begin(open(store).thread('x'))
      turn.calibrate(calibration)
      await end(turn)
      expect(await open(store).thread('x').calibration('m')).toEqual(calibration)
    }
  })

  it('is told when its conversation is deleted', async () => {
    const history = open(memoryStore(), { leaseMs: 30 })
    const turn = await begin(history.thread('x'))
    await history.delete('x')
    await expect.poll(() => turn.signal.aborted).toBe(true)
    expect(turn.signal.reason).toMatchObject({ code: 'conversation_deleted' })
  })

  it('puts missing results before what arrived later', async () => {
    const thread = open().thread('x')
    const turn = await begin(thread)
    await turn.append(call('c1'))
    await turn.interrupt(assistant('half of'))
    const contents = (messages: readonly MessageLike[]) => messages.map(({ content }) => content)
    const before = ['hello', '', 'Error: interrupted']
    expect(contents(await thread.messages())).toEqual([...before, 'half of'])
    expect(contents((await thread.context()).messages)).toEqual([
      ...before,
      'half of\n\n[Interrupted.]',
    ])
    expect(contents(await thread.display())).toEqual(['hello', '', 'half of'])
  })

  it('knows a body again whose keys are in another order', async () => {
    const thread = open().thread('x')
    await thread.begin({ role: 'user', content: 'a' }, { key: 'k' })
    expect((await thread.begin({ content: 'a', role: 'user' }, { key: 'k' })).kind).toBe('replayed')
  })
})

describe('views', () => {
  it('hide what is hidden also where only the newest are asked for', async () => {
    const thread = open().thread('x')
    const turn = await begin(thread)
    const note = {
      id: 'c1',
      function: { name: 'write_note_to_self', arguments: { note: 'SECRET' } },
    }
    await turn.append(
      { role: 'assistant', content: '', tool_calls: [note] },
      result('c1', 'Noted: SECRET'),
    )
    await turn.complete(assistant('Done.'), { note: 'SECRET' })
    for (const limit of [1, 2, 3, 9])
      expect(sent(await thread.display({ limit }))).not.toContain('SECRET')
    expect(await thread.display({ limit: 1 })).toMatchObject([{ content: 'Done.' }])
    expect(await thread.display({ limit: 2 })).toMatchObject([
      { content: 'hello' },
      { content: 'Done.' },
    ])
  })

  it('keep bytes as what providers take in their place', async () => {
    const thread = open().thread('x')
    const image = Uint8Array.from([137, 80, 78, 71])
    await thread.begin(
      user([
        { type: 'image', image },
        { type: 'image', image: Buffer.from(image) },
      ]),
    )
    expect((await thread.messages())[0]!.content).toEqual([
      { type: 'image', image: 'iVBORw==' },
      { type: 'image', image: 'iVBORw==' },
    ])
  })

  it('are whole again after somebody has changed a message that he was given', async () => {
    const thread = open().thread('x')
    await thread.seed(...chatter(3))
    const { messages } = await thread.context()
    Object.assign(messages[0]!, { content: 'changed' })
    expect((await thread.context()).messages[0]).toMatchObject({
      content: 'question 0 on the harbour',
    })
  })
})

describe('prompts and calls', () => {
  it('leave no conversation behind where there is none', async () => {
    const history = open()
    const thread = history.thread('x')
    const context = await thread.context({ system: 'Be kind. '.repeat(60) })
    for (let n = 0; n < 2; n++)
      await expect(thread.saveCall(context, { model: 'm' })).rejects.toMatchObject({
        code: 'no_conversation',
      })
    expect(await history.conversations()).toEqual([])
  })

  it('are not listed, and take no place in a search', async () => {
    const history = open()
    const thread = history.thread('x')
    await begin(thread, 'the heron')
    for (let n = 0; n < 3; n++)
      await thread.saveCall(await thread.context({ system: 'A heron is a bird. '.repeat(20) }), {
        model: 'm',
      })
    expect((await history.conversations())[0]!.threads.map(({ actor }) => actor)).toEqual([
      'assistant',
    ])
    expect(await history.search('heron', { limit: 1 })).toMatchObject([
      { thread: { actor: 'assistant' } },
    ])
  })
})

it('exports a conversation as it was when the export began, though somebody writes to it', async () => {
  const history = open()
  const thread = history.thread('x')
  await (await begin(thread, 'one')).complete(assistant('1'))
  const turn = await begin(thread, 'two')
  const lines: string[] = []
  for await (const line of history.export('x')) {
    lines.push(line)
    if (line.includes('"kind":"thread"')) {
      await turn.complete(assistant('2'))
      await thread.saveCall(await thread.context(), { model: 'm' })
    }
  }
  const other = open()
  await other.import(lines)
  expect((await other.thread('x').turns()).map(({ status }) => status)).toEqual([
    'completed',
    'interrupted',
  ])
  expect(await other.thread('x').status()).toMatchObject({ state: 'interrupted', turn: 2 })
})
