import { balanced, type Context, fit, sliding, spongebob, tiered } from '@throughline/core'
import { memoryStore } from '@throughline/stores'
import { LeaseError } from '@throughline/stores/errors'
import { everyStore, someStores } from '@throughline/test-tools/every-store'
import { describe, expect, it } from 'vitest'
import { createHistory, type History, type Thread } from '../src/index.ts'

const user = (content: string) => ({ role: 'user', content })
const assistant = (content: string) => ({ role: 'assistant', content })
const round = (id: string, result: string) => [
  {
    role: 'assistant',
    content: '',
    tool_calls: [{ id, function: { name: 'look', arguments: '{"at":"pier"}' } }],
  },
  { role: 'tool', tool_call_id: id, content: result },
]
const filler = (n: number) => [
  user(
    `Day ${n}: we sail on, and the ${words[n % words.length]} holds. ${'Wind and water. '.repeat(6)}`,
  ),
  assistant(`Good, day ${n} is noted. ${'The log is kept. '.repeat(4)}`),
]
const words = ['mast', 'keel', 'rudder', 'anchor', 'sail']
const textOf = ({ messages }: Pick<Context, 'messages'>) => JSON.stringify(messages)
const entryOf = ({ receipt }: Context, seq: number) =>
  receipt.entries.find(entry => entry.seq === seq)!

async function seeded(thread: Thread, turns = 60) {
  await thread.seedTurns([
    user('Hello, I am Ada.'),
    assistant('Hello!'),
    user('The code of the safe is TEAL-42.'),
    assistant('I keep it in mind.'),
    ...Array.from({ length: turns }, (_, n) => filler(n)).flat(),
  ])
  return thread
}

async function listOf<T>(items: AsyncIterable<T>) {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

async function firstsOf(thread: Thread) {
  const { pinned, hidden } = await thread.hands()
  const firsts = (units: typeof pinned) => units.map(({ first }) => first)
  return { pinned: firsts(pinned), hidden: firsts(hidden) }
}

const newHistory = (store = memoryStore(), options = {}): History =>
  createHistory({ store, window: 2048, reserve: 256, ...options })

describe.each(await everyStore())('a hand on the context, on %s', (_, create) => {
  it('pins an old message until it is taken back', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'))
    expect(textOf(await thread.context())).not.toContain('TEAL-42')
    expect(await thread.pin(3)).toEqual({ first: 3, last: 3 })
    const pinned = await thread.context()
    expect(textOf(pinned)).toContain('TEAL-42')
    expect(entryOf(pinned, 3)).toMatchObject({ fate: 'kept', rule: 'pinned', why: 'pinned by you' })
    expect(pinned.tokens).toBeLessThanOrEqual(pinned.receipt.capacity)
    expect(await thread.why(3)).toMatchObject({ why: 'pinned by you', isProtected: true })
    expect(await firstsOf(thread)).toEqual({ pinned: [3], hidden: [] })
    await thread.unpin(3)
    expect(textOf(await thread.context())).not.toContain('TEAL-42')
  })

  it('hides a message, which stays in the log', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'), 2)
    await thread.hide(3)
    const hidden = await thread.context()
    expect(textOf(hidden)).not.toContain('TEAL-42')
    expect(entryOf(hidden, 3)).toMatchObject({
      fate: 'omitted',
      rule: 'hidden',
      why: 'hidden by you',
    })
    expect(await thread.why(3)).toMatchObject({ fate: 'omitted', why: 'hidden by you' })
    expect(JSON.stringify(await thread.display())).toContain('TEAL-42')
    await thread.unhide(3)
    expect(textOf(await thread.context())).toContain('TEAL-42')
  })

  it('knows the same on another server, after a restart and in an import', async () => {
    const store = create()
    const here = newHistory(store)
    const there = newHistory(store)
    const thread = await seeded(here.thread('trip'))
    await there.thread('trip').context()
    await thread.pin(3)
    await thread.hide(5)
    const context = await thread.context()
    expect((await there.thread('trip').context()).messages).toEqual(context.messages)
    expect((await newHistory(store).thread('trip').context()).messages).toEqual(context.messages)
    const copy = newHistory(memoryStore())
    await copy.import(here.export('trip'))
    expect(await firstsOf(copy.thread('trip'))).toEqual({ pinned: [3], hidden: [5] })
    expect((await copy.thread('trip').context()).messages).toEqual(context.messages)
    expect(await listOf(copy.export('trip'))).toEqual(await listOf(here.export('trip')))
  })

  it('has a place in the log: the past and branches of it know nothing of it', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'), 2)
    const before = await thread.fork({ at: 6, branch: 'before' })
    await thread.hide(3)
    const after = await thread.fork({ at: 9, branch: 'after' })
    expect(await firstsOf(before)).toEqual({ pinned: [], hidden: [] })
    expect(await firstsOf(after)).toEqual({ pinned: [], hidden: [3] })
    expect(textOf(await thread.context({ at: 8 }))).toContain('TEAL-42')
    expect(textOf(await thread.context({ at: 9 }))).not.toContain('TEAL-42')
  })

  it('is taken along by a branch that is made later, wherever that begins', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'), 2)
    await thread.pin(3)
    await thread.hide(5)
    await thread.pin(7)
    const edited = await thread.fork({ at: 6, branch: 'edited' })
    const begun = await edited.begin(user('Day 1 was another one.'))
    if (begun.kind === 'begun') await begun.turn.complete(assistant('I see.'))
    expect(await firstsOf(edited)).toEqual({ pinned: [3], hidden: [5] })
  })

  it('goes into a turn that was left, and waits for one that is held', async () => {
    const thread = newHistory(create()).thread('agent')
    const begun = await thread.begin(user('Look at the pier.'))
    if (begun.kind !== 'begun') throw new Error('replayed')
    await begun.turn.append(...round('a', 'A heron.'))
    await expect(thread.pin(1)).rejects.toBeInstanceOf(LeaseError)
    await begun.turn.leave()
    await thread.pin(3)
    await expect(thread.hide(3)).rejects.toThrow('open turn')
    expect(await firstsOf(thread)).toEqual({ pinned: [2], hidden: [] })
    const resumed = (await thread.resume())!
    expect(resumed.entries.map(({ seq }) => seq)).toEqual([1, 2, 3])
    await resumed.turn.complete(assistant('There is a heron.'))
    expect((await thread.display()).map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool',
      'assistant',
    ])
    expect((await thread.context()).messages).toHaveLength(4)
  })
})

describe.each(await someStores())('units and policies, on %s', (_, create) => {
  it('keeps a call with its results', async () => {
    const thread = newHistory(create()).thread('trip')
    await thread.seedTurns([
      user('Look.'),
      ...round('a', 'a heron on the pier'),
      assistant('A heron.'),
    ])
    await seeded(thread)
    expect(await thread.pin(3)).toEqual({ first: 2, last: 3 })
    expect(textOf(await thread.context())).toContain('a heron on the pier')
    await thread.hide(2)
    const hidden = await thread.context()
    expect(textOf(hidden)).not.toMatch(/heron on the pier|look/)
    expect([2, 3].map(seq => entryOf(hidden, seq).why)).toEqual(['hidden by you', 'hidden by you'])
    expect(await firstsOf(thread)).toEqual({ pinned: [], hidden: [2] })
  })

  it.each([balanced(), tiered(), sliding({ messages: 10 }), spongebob()])(
    'lets the later of a pin and a hide count, with $name',
    async policy => {
      const thread = await seeded(newHistory(create(), { policy }).thread('trip'))
      await thread.pin(3)
      await thread.hide(3)
      expect(textOf(await thread.context())).not.toContain('TEAL-42')
      await thread.pin(3)
      expect(textOf(await thread.context())).toContain('TEAL-42')
    },
  )

  it('never quotes, digests or notes what is hidden', async () => {
    const thread = newHistory(create()).thread('trip')
    const begun = await thread.begin(user('What is the code of the safe?'))
    if (begun.kind === 'begun')
      await begun.turn.complete(assistant('The code of the safe is TEAL-42.'), {
        note: 'safe: TEAL-42',
      })
    await thread.seedTurns([
      user('Look.'),
      ...round('a', 'TEAL-42 stands on the safe'),
      assistant('I looked.'),
    ])
    await seeded(thread)
    const question = { next: user('What was the code of the safe again?') }
    expect(textOf(await thread.context(question))).toContain('TEAL-42')
    for (const seq of [2, 5, 10]) await thread.hide(seq)
    for (const policy of [undefined, tiered(), spongebob()])
      for (const notes of ['inline', 'system'] as const)
        expect(textOf(await thread.context({ ...question, policy, notes }))).not.toContain(
          'TEAL-42',
        )
    await thread.unhide(10)
    expect(textOf(await thread.context(question))).toContain('TEAL-42')
  })

  it('hides the first message, and the last one', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'))
    await thread.hide(1)
    await thread.hide(124)
    const context = await thread.context()
    expect(textOf(context)).not.toContain('I am Ada')
    expect(entryOf(context, 124).why).toBe('hidden by you')
    expect(entryOf(context, 1).why).toBe('hidden by you')
    expect(context.receipt.parts.marker).toBeGreaterThan(0)
  })

  it('leaves what stands before a hidden message as it was', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'))
    const before = await thread.context()
    const middle = before.receipt.sent.map(({ seqs }) => seqs[0] ?? 0).filter(seq => seq > 4)
    const seq = middle[Math.floor(middle.length / 2)]!
    const place = before.receipt.sent.findIndex(({ seqs }) => seqs.includes(seq))
    await thread.hide(seq)
    const after = await thread.context()
    expect(after.messages.slice(0, place)).toEqual(before.messages.slice(0, place))
    expect(after.messages).toHaveLength(before.messages.length - 1)
  })

  it('changes nothing while a pinned message is in view', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'))
    const before = await thread.context()
    await thread.pin(120)
    expect((await thread.context()).messages).toEqual(before.messages)
  })

  it('refuses a place without a message, and writes nothing twice', async () => {
    const thread = await seeded(newHistory(create()).thread('trip'), 1)
    await thread.pin(3)
    await thread.pin(3)
    expect((await thread.entries()).filter(({ hands }) => hands)).toHaveLength(1)
    await thread.unhide(3)
    expect(await firstsOf(thread)).toEqual({ pinned: [3], hidden: [] })
    for (const seq of [0, 7, 99, 1.5, Number.NaN])
      await expect(thread.hide(seq)).rejects.toThrow('the place of a message')
  })

  it('overflows as anything does that must be sent', async () => {
    const thread = newHistory(create()).thread('trip')
    await thread.seedTurns([
      user('a'),
      assistant('b'),
      user('word '.repeat(4000)),
      assistant('c'),
      ...filler(1),
    ])
    await thread.pin(3)
    for (const overflow of ['error', 'trim', 'trim-results'] as const)
      await expect(thread.context({ overflow })).rejects.toMatchObject({ code: 'context_overflow' })
  })

  it('is found in the checkpoints of a long thread', async () => {
    const store = create()
    const thread = await seeded(newHistory(store).thread('trip'), 200)
    await thread.pin(3)
    await thread.hide(5)
    for (let n = 0; n < 3; n++) {
      await thread.seedTurns(Array.from({ length: 80 }, (_, at) => filler(at)).flat())
      await thread.context()
    }
    const context = await newHistory(store).thread('trip').context()
    expect(textOf(context)).toContain('TEAL-42')
    expect(entryOf(context, 5).why).toBe('hidden by you')
    expect(await createHistory({ store }).check()).toEqual([])
  })
})

it('leaves the list of a caller as it is', () => {
  const list = [user('a'), assistant('b')]
  expect(fit(list, { window: 1000 }).messages).toEqual(list)
})
