import { words } from '@throughline/core/counters'
import { parseMessage } from '@throughline/core/messages'
import { defineState, type StandardSchema } from '@throughline/core/state'
import { memoryStore } from '@throughline/stores/memory'
import { everyStore } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory } from './create-history.ts'
import type { Thread } from './thread.ts'
import type { Turn } from './turn.ts'

const stores = await everyStore()

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const call = (name: string) => ({
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'c1', function: { name, arguments: {} } }],
})
const result = (content: string) => ({ role: 'tool', tool_call_id: 'c1', content })

async function begin(thread: Thread, text: string): Promise<Turn> {
  const begun = await thread.begin(user(text))
  if (begun.kind !== 'begun') throw new Error('expected a new turn')
  return begun.turn
}
const contents = (messages: readonly object[]) =>
  messages.map(message => (message as { content?: unknown }).content)

async function linesOf(lines: AsyncIterable<string>): Promise<readonly string[]> {
  const all: string[] = []
  for await (const line of lines) all.push(line)
  return all
}

describe.each(stores)('history on the %s store', (_, createStore) => {
  const open = (rest: object = {}) =>
    createHistory({ store: createStore(), window: 4096, count: words(), ...rest })

  it('keeps a turn: user, assistant, note, in this order', async () => {
    const thread = open().thread('site')
    const turn = await begin(thread, 'add a footer')
    await turn.complete(assistant('Done.'), { note: 'footer.html' })
    expect((await thread.messages()).map(message => message.role)).toEqual([
      'user',
      'assistant',
      'assistant_note',
    ])
    expect(await thread.notes()).toEqual(['footer.html'])
    expect(contents(await thread.display())).toEqual(['add a footer', 'Done.'])
    expect((await thread.turns())[0]).toMatchObject({ status: 'completed', first: 1, last: 3 })
  })

  it('tells what it reads of each entry, where contexts take another text too', async () => {
    const history = open()
    const called = call('count')
    const turn = await begin(history.thread('trip'), 'how many?')
    await turn.append(called, { message: result('five of them'), view: result('five …') })
    await turn.cancel({ role: 'assistant', content: 'There are' })
    const entries = await history.thread('trip').entries()
    for (const { message, reading, seq } of entries)
      expect(reading).toEqual(parseMessage(message, seq))
    expect(entries.map(({ reading }) => reading.text)).toEqual([
      'how many?',
      '',
      'five of them',
      'There are',
    ])
    expect(entries.slice(2).map(({ view }) => parseMessage(view, 0).text)).toEqual([
      'five …',
      expect.stringMatching(/^There are\n\n\[/),
    ])
  })

  it('keeps the conversations of two people apart', async () => {
    const all = open()
    const [ada, bob] = ['ada', 'bob'].map(person => all.of('default', { person }))
    await ada!.thread('hers').seedTurns([user('a pelican'), assistant('a bird')])
    await (await begin(bob!.thread('his'), 'a pelican too')).complete(assistant('yes'))
    // The first person who writes to a conversation stays its owner.
    await (await begin(bob!.thread('hers'), 'may I?')).complete(assistant('you may'))
    const names = async (history: typeof all) => [
      (await history.conversations({ order: 'name' })).map(({ conversation }) => conversation),
      (await history.search('pelican')).map(({ thread }) => thread.conversation).sort(),
    ]
    expect(await names(ada!)).toEqual([['hers'], ['hers']])
    expect(await names(bob!)).toEqual([['his'], ['his']])
    expect(await names(all)).toEqual([
      ['hers', 'his'],
      ['hers', 'his'],
    ])
    expect(await linesOf(bob!.export('hers'))).toEqual([])
    const copy = open({ tenant: 'copy', person: 'ada' })
    await copy.import((await linesOf(all.exportAll())).join('\n'))
    expect(await names(copy)).toEqual([['hers'], ['hers']])
    expect(await bob!.deleteAll()).toEqual(['his'])
    expect(await names(all)).toEqual([['hers'], ['hers']])
  })

  it('tells what would be sent if a message came, and stores nothing of it', async () => {
    const thread = open({ window: 200 }).thread('site')
    await (await begin(thread, 'The pelican is called Ida.')).complete(assistant('A fine name.'))
    for (let n = 0; n < 12; n++)
      await (await begin(thread, `Line ${n} of the menu: soup, bread and cheese.`)).complete(
        assistant('Noted.'),
      )
    const question = user('What is the pelican called?')
    const before = await thread.messages()
    const predicted = await thread.context({ next: question })
    expect(await thread.messages()).toEqual(before)
    expect(contents(predicted.messages).join()).toContain('Ida')
    await thread.begin(question)
    expect(contents((await thread.context()).messages)).toEqual(contents(predicted.messages))
  })

  it('puts the system prompt first, fresh, and never stores it', async () => {
    const thread = open().thread('site')
    await (await begin(thread, 'hello')).complete(assistant('hi'))
    await begin(thread, 'and now?')
    const { messages } = await thread.context({ system: 'Today is Monday.' })
    expect(contents(messages)).toEqual(['Today is Monday.', 'hello', 'hi', 'and now?'])
    expect(contents(await thread.messages())).not.toContain('Today is Monday.')
    expect(await thread.dump({ system: 'S' })).toContain('=== CURRENT USER MESSAGE ===\nand now?')
  })

  it('has the user message on disk before anything else happens', async () => {
    const store = createStore()
    const first = createHistory({ store, count: words() }).thread('trip')
    await begin(first, 'hello')
    const second = createHistory({ store, count: words() }).thread('trip')
    expect(contents(await second.messages())).toEqual(['hello'])
  })

  it.each([
    ['cancelled', (turn: Turn) => turn.cancel(), '[The user cancelled this answer.]'],
    ['failed', (turn: Turn) => turn.fail('upstream_503'), '[This turn failed: upstream_503.]'],
    ['interrupted', (turn: Turn) => turn.interrupt(), '[Interrupted.]'],
  ] as const)(
    'closes a turn that was %s so that the next context is valid',
    async (status, close, text) => {
      const thread = open().thread('trip')
      const turn = await begin(thread, 'look it up')
      await turn.append(call('search'))
      await close(turn)
      await begin(thread, 'again')
      const { messages } = await thread.context({})
      expect(contents(messages)).toEqual(['look it up', '', 'Error: interrupted', text, 'again'])
      expect(contents(await thread.display())).toEqual(['look it up', '', 'again'])
      expect((await thread.turns())[0]).toMatchObject({ status })
    },
  )

  it('renders a turn that a crash left open as closed, and closes it only when the next one begins', async () => {
    const store = createStore()
    const thread = createHistory({ store, count: words() }).thread('trip')
    const entry = (id: string, message: object) => ({
      id,
      role: 'user' as const,
      time: 1,
      payload: JSON.stringify({ message }),
      tokens: {},
    })
    // A writer that dies: it begins and appends, and never renews its lease.
    const begun = await store.begin(thread.key, {
      owner: 'dead',
      leaseMs: 20,
      entries: [entry('a', user('look it up'))],
    })
    if (begun.kind !== 'begun') throw new Error('expected a new turn')
    const entries = [entry('b', call('search'))]
    await store.append(thread.key, { lease: begun.lease, expectedHead: 1, entries })
    await expect.poll(async () => (await store.head(thread.key))?.open?.expiresInMs).toBe(0)
    expect(contents(await thread.messages())).toEqual([
      'look it up',
      '',
      'Error: interrupted',
      '[Interrupted.]',
    ])
    expect((await store.head(thread.key))?.head).toBe(2)
    await begin(thread, 'again')
    expect((await store.head(thread.key))?.head).toBe(5)
    expect((await thread.turns()).map(turn => turn.status)).toEqual(['interrupted', 'open'])
    const late = store.append(thread.key, {
      lease: begun.lease,
      expectedHead: 2,
      entries: [entry('c', assistant('late'))],
    })
    await expect(late).rejects.toMatchObject({ code: 'lease_lost' })
  })

  it('forks at a closed turn and before a user message, and nowhere else', async () => {
    const thread = open().thread('trip')
    await (await begin(thread, 'one')).complete(assistant('1'))
    await (await begin(thread, 'two')).complete(assistant('2'))
    const edited = await thread.fork({ at: 2, branch: 'edited' })
    await (await begin(edited, 'other')).complete(assistant('o'))
    expect(contents(await edited.messages())).toEqual(['one', '1', 'other', 'o'])
    expect(contents(await thread.messages())).toEqual(['one', '1', 'two', '2'])
    await expect(thread.fork({ at: 3 })).rejects.toMatchObject({
      code: 'invalid_option',
      option: 'at',
    })
  })

  it('shows any past: the thread as it was at an entry', async () => {
    const thread = open().thread('trip')
    await (await begin(thread, 'one')).complete(assistant('1'), { note: 'n1' })
    await (await begin(thread, 'two')).complete(assistant('2'))
    expect(contents(await thread.messages({ at: 2 }))).toEqual(['one', '1'])
    expect(contents((await thread.context({ at: 3 })).messages)).toEqual([
      'one',
      '1\n\n[NOTE TO SELF: n1]',
    ])
    expect(await thread.notes({ at: 2 })).toEqual([])
  })

  it('reads state from the whole log, whatever a context leaves out', async () => {
    const number: StandardSchema<{ n: number }> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: value => ({ value: value as { n: number } }),
      },
    }
    const state = defineState({ name: 'number', tool: 'count', schema: number })
    const thread = open().thread('trip')
    const turn = await begin(thread, 'count')
    await turn.append(call('count'), result('{"n":3}'))
    await turn.fail('crashed')
    expect((await thread.state(state)).value).toEqual({ n: 3 })
  })

  it('exports nothing where the id is missing', async () => {
    const history = open()
    await history.thread('trip').seed({ role: 'user', content: 'My PIN is 1234.' })
    for (const id of [undefined, null, '', 7])
      await expect(
        history
          .export(id as never)
          [Symbol.asyncIterator]()
          .next(),
      ).rejects.toThrow(/"conversation": expected a name/)
  })

  it('keeps whether a tool failed, whatever its result says, and shows it to no model', async () => {
    const any: StandardSchema<{ n: number }> = {
      '~standard': {
        version: 1,
        vendor: 'test',
        validate: value => ({ value: value as { n: number } }),
      },
    }
    const state = defineState({ name: 'number', tool: 'count', schema: any })
    const history = open()
    const turn = await begin(history.thread('trip'), 'count')
    await turn.append(call('count'), { message: result('{"n":3}'), isError: false })
    await turn.append(call('count'), { message: result('{"n":0,"problem":"busy"}'), isError: true })
    await turn.append(call('count'), { message: result('Error: was the title'), isError: false })
    await turn.append(call('count'))
    await turn.interrupt()
    const copy = open()
    await copy.import(history.export('trip'))
    for (const thread of [history.thread('trip'), copy.thread('trip')]) {
      const results = (await thread.entries()).filter(({ message }) => message.role === 'tool')
      expect(results.map(({ isError }) => isError)).toEqual([false, true, false, true])
      const { value, skipped } = await thread.state(state)
      expect(value).toEqual({ n: 3 })
      expect(skipped.map(({ reason }) => reason)).toEqual([
        'error result',
        'not JSON',
        'error result',
      ])
      expect(JSON.stringify([await thread.messages(), await thread.context()])).not.toContain(
        'isError',
      )
    }
  })

  it('lets a turn be left, and gone on with by whoever comes next', async () => {
    const store = createStore()
    const first = createHistory({ store, count: words() }).thread('trip')
    const turn = await begin(first, 'count')
    await turn.append(call('count'), result('3'))
    await turn.leave()
    const second = createHistory({ store, count: words() }).thread('trip')
    const resumed = await second.resume()
    expect(resumed?.entries.map(({ message }) => message.role)).toEqual([
      'user',
      'assistant',
      'tool',
    ])
    await resumed!.turn.complete(assistant('three'))
    await expect(turn.complete(assistant('late'))).rejects.toMatchObject({ code: 'lease_lost' })
    expect((await second.turns()).map(({ status }) => status)).toEqual(['completed'])
    expect(await second.resume()).toBeUndefined()
  })

  it('answers the same key with the same turn', async () => {
    const thread = open().thread('trip')
    const long = 'hello '.repeat(10_000)
    const first = await thread.begin(user(long), { key: 'k1' })
    if (first.kind === 'begun') await first.turn.complete(assistant('hi'))
    const again = await thread.begin(user(long), { key: 'k1' })
    expect(again.kind).toBe('replayed')
    if (again.kind === 'replayed') expect(contents(again.messages)).toEqual([long, 'hi'])
    await expect(thread.begin(user('other'), { key: 'k1' })).rejects.toMatchObject({
      code: 'key_reused',
    })
  })

  it('begins a turn only where the caller knows the end of the thread, if he says which it is', async () => {
    const thread = open().thread('site')
    await (await begin(thread, 'one')).complete(assistant('Done.'))
    const late = thread.begin(user('two'), { after: 1 })
    await expect(late).rejects.toMatchObject({ code: 'conflict', expected: 1, actual: 2 })
    expect(await thread.begin(user('two'), { after: 2 })).toMatchObject({ kind: 'begun' })
    expect(contents(await thread.messages())).toEqual(['one', 'Done.', 'two'])
  })

  it('ranks what was said on the day, in the month or in the year that a query names first', async () => {
    const history = createHistory({ store: createStore(), count: words() })
    const days = [
      '2022-05-03',
      '2023-05-03',
      '2023-05-20',
      '2023-10-12',
      '2023-10-13',
      '2023-10-14',
    ]
    for (const day of days)
      await history
        .thread(day)
        .seedTurns([{ ...user('the boat was painted again'), time: Date.parse(day) }])
    const first = async (query: string) => (await history.search(query))[0]?.thread.conversation
    expect(await first('when did we paint the boat on 3 May 2023?')).toBe('2023-05-03')
    expect(await first('le boat du 12 octobre')).toBe('2023-10-12')
    expect(await first('the boat in 2022')).toBe('2022-05-03')
    const inMay = (await history.search('the boat in May'))
      .slice(0, 3)
      .map(({ thread }) => thread.conversation)
    expect(inMay.sort()).toEqual(days.slice(0, 3))
  })

  it('keeps actors, conversations and tenants apart; seeds, lists, searches and deletes', async () => {
    const store = createStore()
    const history = createHistory({ store, count: words() })
    const smith = history.thread('lab', { actor: 'Dr. Smith' })
    await smith.seed(user('earlier'), assistant('long ago'))
    await (await begin(smith, 'the heron sleeps')).complete(assistant('yes'))
    expect(contents(await smith.messages())).toEqual([
      'earlier',
      'long ago',
      'the heron sleeps',
      'yes',
    ])
    expect(await history.thread('lab', { actor: '$x' }).messages()).toEqual([])
    expect((await history.conversations()).map(({ conversation }) => conversation)).toEqual(['lab'])
    expect((await history.search('heron'))[0]).toMatchObject({ seq: 3 })
    expect(await createHistory({ store, tenant: 'other' }).search('heron')).toEqual([])
    expect(await history.delete('lab')).toBe(true)
    await expect(begin(smith, 'late')).rejects.toMatchObject({ code: 'conversation_deleted' })
  })

  it('lists what was used last first, with the title and the metadata that it was given', async () => {
    const store = createStore()
    const history = createHistory({ store, count: words() })
    for (const [conversation, time] of Object.entries({ b: 1_000, a: 3_000, c: 2_000 })) {
      const entry = {
        id: 'x',
        role: 'user',
        time,
        payload: '{}',
        tokens: {},
        seq: 1,
        turn: 0,
      } as const
      const key = { tenant: 'default', conversation, actor: 'assistant', branch: 'main' }
      await store.restore(key, { entries: [entry], turns: [] })
    }
    await history.describe('c', { title: 'half \ud83d of an emoji', metadata: { colour: 'blue' } })
    const first = await history.conversations({ limit: 2 })
    expect(first.map(({ conversation, title }) => [conversation, title])).toEqual([
      ['a', undefined],
      ['c', 'half \ufffd of an emoji'],
    ])
    expect(first[1]!.metadata).toEqual({ colour: 'blue' })
    expect(
      (await history.conversations({ after: first[1] })).map(info => info.conversation),
    ).toEqual(['b'])
    const byName = await history.conversations({ order: 'name' })
    expect(byName.map(({ conversation }) => conversation)).toEqual(['a', 'b', 'c'])
    await history.describe('c', { title: null })
    expect((await history.conversations())[1]).not.toHaveProperty('title')
    await expect(history.describe('nowhere', { title: 'x' })).rejects.toMatchObject({
      code: 'no_conversation',
    })
  })

  it('keeps every call, and gives its very bytes again', async () => {
    const thread = open({ window: 160 }).thread('trip')
    for (let n = 0; n < 12; n++) {
      await (await begin(thread, `question ${n} about the harbour and its tides`)).complete(
        assistant(`answer ${n} in some words`),
        { note: `n${n}` },
      )
    }
    await begin(thread, 'and now?')
    const context = await thread.context({ system: 'Be brief.' })
    const saved = await thread.saveCall(context, { model: 'reader', reported: 151 })
    await begin(thread, 'x').catch(() => undefined)
    const [call] = await thread.calls()
    expect(call).toEqual(saved)
    expect(call).toMatchObject({ model: 'reader', predicted: context.tokens, reported: 151 })
    expect(JSON.stringify(await thread.replay(call!))).toBe(JSON.stringify(context.messages))
  })

  it('writes a system prompt that is used again only once', async () => {
    const history = open()
    const thread = history.thread('trip')
    await begin(thread, 'hello')
    const system = 'Be brief and kind, and never speak of the heron. '.repeat(50)
    const saved = []
    for (let n = 0; n < 3; n++) {
      const context = await thread.context({ system })
      saved.push({ call: await thread.saveCall(context, { model: 'm' }), context })
    }
    const [first, second] = saved.map(({ call }) => call.plan.length)
    expect(second).toBeLessThan(first! - 2000)
    for (const { call, context } of saved)
      expect(JSON.stringify(await thread.replay(call))).toBe(JSON.stringify(context.messages))
    expect(await thread.dump(saved[2]!.call)).toContain(system.trim())
    expect(await history.search('heron')).toEqual([])
    const other = open()
    await other.import(history.exportAll())
    const [last] = await other.thread('trip').calls()
    expect(await other.thread('trip').dump(last)).toContain(system.trim())
  })

  it('normalises what no store takes: NUL and half surrogate pairs', async () => {
    const thread = open().thread('trip')
    await begin(thread, 'a\0b\ud83d c 👍')
    expect(contents(await thread.messages())).toEqual(['a\uFFFDb\uFFFD c 👍'])
  })
})

describe('bad input', () => {
  it.each([
    [undefined, /"store": expected a store, such as memoryStore\(\), got undefined/],
    [{ store: memoryStore }, /got a function \(did you forget the parentheses\?\)/],
    [{ store: null }, /got null/],
    [{ store: {} }, /got object/],
    [{ store: memoryStore(), count: 5 }, /"count": expected a token counter/],
  ])('is a typed error of createHistory: %o', (options, message) => {
    expect(() => createHistory(options as never)).toThrow(
      expect.objectContaining({ code: 'invalid_option', message: expect.stringMatching(message) }),
    )
  })

  it.each([null, undefined, 3, 'hello', {}, [null], { role: 'nobody' }])(
    'is a typed error of begin: %o',
    async given => {
      const thread = createHistory({ store: memoryStore() }).thread('trip')
      await expect(thread.begin(given as never)).rejects.toMatchObject({ code: 'invalid_message' })
      await expect(thread.begin(given as never, { key: 'k' })).rejects.toMatchObject({
        code: 'invalid_message',
      })
      await expect(thread.seed(given as never)).rejects.toMatchObject({ code: 'invalid_message' })
      expect(await thread.turns()).toEqual([])
    },
  )
})

describe('a past that is seeded as turns', () => {
  it('has turns and times, and goes on', async () => {
    const history = createHistory({ store: memoryStore(), count: words(), now: () => 5_000 })
    const thread = history.thread('trip')
    await thread.seedTurns([
      { role: 'system', content: 'Be brief.' },
      ...Array.from({ length: 40 }, (_, n) => [
        { role: 'user', content: `question ${n + 1}`, time: (n + 1) * 1_000_000 },
        { message: { role: 'assistant', content: `answer ${n + 1}` }, data: { model: 'm' } },
      ]).flat(),
      { role: 'user', content: 'unanswered', createdAt: '2025-05-03T10:00:00Z' },
    ] as never)
    const turns = await thread.turns()
    expect(turns.length).toBe(41)
    expect(turns[36]).toEqual({
      ...{ turn: 37, status: 'completed', first: 74, last: 75 },
      ...{ startedAt: 37_000_000, endedAt: 37_000_000 },
    })
    expect(turns[40]).toMatchObject({ status: 'interrupted', startedAt: Date.UTC(2025, 4, 3, 10) })
    const entries = await thread.entries()
    expect(entries[0]).toMatchObject({ turn: 0, time: 5_000 })
    expect(entries[2]).toMatchObject({ turn: 1, time: 1_000_000, data: { model: 'm' } })
    const begun = await thread.begin({ role: 'user', content: 'and now?' })
    expect(begun).toMatchObject({ kind: 'begun' })
    await expect(thread.seedTurns([{ role: 'user', content: 'too late' }])).rejects.toMatchObject({
      code: 'turn_open',
    })
    await expect(thread.seedTurns([{ role: 'king' } as never])).rejects.toMatchObject({
      code: 'invalid_message',
    })
    expect(await history.check()).toEqual([])
  })
})
