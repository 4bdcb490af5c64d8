import { balanced, fit, sliding, spongebob, tiered } from '@throughline/core/context'
import { words } from '@throughline/core/counters'
import type { MessageLike } from '@throughline/core/messages'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { describe, expect, it } from 'vitest'
import { createHistory } from './create-history.ts'

const places = ['harbour', 'lighthouse', 'orchard', 'quarry', 'station', 'mill', 'ferry', 'museum']
const things = ['key', 'ledger', 'lantern', 'compass', 'kettle', 'ladder', 'whistle', 'drum']

/** A long conversation with facts, notes and tools; the same every time. */
function conversation(turns: number): MessageLike[] {
  const messages: MessageLike[] = [
    { role: 'user', content: 'Remember what I tell you about my town.' },
  ]
  for (let n = 0; n < turns; n++) {
    const [place, thing] = [places[n % 8]!, things[(n * 5) % 7]!]
    messages.push({
      role: 'assistant',
      content: `Noted as number ${n}, I will remember the ${place}.`,
    })
    if (n % 9 === 0) messages.push({ role: 'assistant_note', content: `note ${n} on the ${place}` })
    messages.push({
      role: 'user',
      content:
        n % 11 === 0
          ? `Where did I leave the ${thing} of house ${n >> 1}?`
          : `The ${thing} of house ${n} lies in the ${place} beside shelf ${n % 37}.`,
    })
    if (n % 13 === 0) {
      const calls = [{ id: `c${n}`, function: { name: 'look_up', arguments: { place, n } } }]
      messages.push({ role: 'assistant', content: '', tool_calls: calls })
      messages.push({
        role: 'tool',
        tool_call_id: `c${n}`,
        content: `the ${place} has ${n} shelves`,
      })
    }
  }
  return messages
}

/** A store that counts how often it is asked for entries, and how many it gives. */
function counting(store: Store): Store & { read: number; asked: number } {
  const counted = {
    ...store,
    read: 0,
    asked: 0,
    async *entries(...given: Parameters<Store['entries']>) {
      counted.asked += 1
      for await (const entry of store.entries(...given)) {
        counted.read += 1
        yield entry
      }
    },
  }
  return counted
}

const now = () => 1
const sent = (messages: readonly object[]) => JSON.stringify(messages)
const inOneList = (messages: readonly MessageLike[]) =>
  messages.map(message => ({ ...message, time: 1 }))
/** With a system prompt a list counts as the log does: the first message after it is 1. */
const system = 'Be brief.'
const withPrompt = (messages: readonly MessageLike[]) => [
  { role: 'system', content: system },
  ...inOneList(messages),
]

describe('a long thread', async () => {
  const all = conversation(1800)
  const store = memoryStore()
  const options = { window: 600, count: words() }
  const seeded = createHistory({ store, now, ...options }).thread('town')
  await seeded.seed(...all)
  await seeded.context()
  const policies = {
    balanced: balanced(),
    spongebob: spongebob(),
    sliding: sliding(),
    tiered: tiered(),
  }

  it.each(Object.entries(policies))(
    'is fitted as one list is, after a restart too: %s',
    async (_, policy) => {
      const read = counting(store)
      const thread = createHistory({ store: read, now, ...options }).thread('town')
      const { messages, tokens, receipt } = await thread.context({ policy, system })
      const whole = fit(withPrompt(all), { ...options, policy })
      expect(sent(messages)).toBe(sent(whole.messages))
      expect(tokens).toBe(whole.tokens)
      expect(receipt.counts).toEqual(whole.receipt.counts)
      expect(receipt.entries.length).toBe(all.length + 1)
    },
  )

  it('is not read as a whole when a process starts again', async () => {
    const read = counting(store)
    const thread = createHistory({ store: read, now, ...options }).thread('town')
    await thread.context()
    expect(read.read).toBeGreaterThan(0)
    expect(read.read).toBeLessThan(all.length / 4)
  })

  it.each(Object.entries(policies))(
    'is fitted into a window that holds all of it in few steps: %s',
    async (_, policy) => {
      const read = counting(store)
      const thread = createHistory({ store: read, now, ...options }).thread('town')
      const { messages } = await thread.context({ policy, window: 1_000_000 })
      expect(messages.length).toBe(
        fit(inOneList(all), { ...options, policy, window: 1_000_000 }).messages.length,
      )
      // The work is done again after each reading: a reading for each page of the thread made it quadratic.
      expect(read.asked).toBeLessThanOrEqual(40)
    },
  )

  it('is the same at any past entry', async () => {
    const thread = createHistory({ store, now, ...options }).thread('town')
    for (const at of [1, 2, 40, 1501, 3000, all.length - 3]) {
      const { messages } = await thread.context({ at, system })
      const whole = fit(withPrompt(all.slice(0, at)), options)
      expect(sent(messages)).toBe(sent(whole.messages))
    }
    // The present is as it was: a look at the past leaves nothing behind.
    const present = await thread.context({ system })
    expect(sent(present.messages)).toBe(sent(fit(withPrompt(all), options).messages))
  })

  it('is copied once for all that is asked of one past entry', async () => {
    const read = counting(store)
    const thread = createHistory({ store: read, now, ...options }).thread('town')
    const at = all.length - 700
    const first = await thread.context({ at })
    await thread.context({ at, window: 2400 })
    const before = read.read
    expect(sent((await thread.context({ at })).messages)).toBe(sent(first.messages))
    await thread.context({ at, window: 2400 })
    await thread.mentions({ at })
    expect(read.read).toBe(before)
    // Another place is another copy.
    const other = fit(inOneList(all.slice(0, at - 40)), options)
    expect(sent((await thread.context({ at: at - 40 })).messages)).toBe(sent(other.messages))
  })

  it('lends its checkpoints to its branches', async () => {
    const source = createHistory({ store, now, ...options }).thread('town')
    await source.fork({ at: all.length, branch: 'other' })
    const read = counting(store)
    const other = createHistory({ store: read, now, ...options }).thread('town', {
      branch: 'other',
    })
    const { messages } = await other.context()
    expect(sent(messages)).toBe(sent(fit(inOneList(all), options).messages))
    expect(read.read).toBeLessThan(all.length / 4)
  })

  it('does without checkpoints that are broken', async () => {
    const broken: Store = {
      ...store,
      loadCache: async (...given) => {
        const saved = await store.loadCache(...given)
        return (
          saved && { ...saved, bytes: saved.bytes.map((byte, at) => (at === 99 ? byte ^ 1 : byte)) }
        )
      },
      saveCache: () => Promise.reject(new Error('no room')),
    }
    const thread = createHistory({ store: broken, now, ...options }).thread('town')
    const { messages } = await thread.context()
    expect(sent(messages)).toBe(sent(fit(inOneList(all), options).messages))
  })

  it('is checked by the rule that it is read by: a developer message leads as a system message does', async () => {
    const history = createHistory({ store: memoryStore(), now, ...options })
    const thread = history.thread('led')
    await thread.seed({ role: 'developer', content: 'Be brief.' }, ...all.slice(0, 1400))
    await thread.context()
    expect(await history.check()).toEqual([])
  })

  it('goes on turn by turn from where a restart found it', async () => {
    const history = createHistory({ store, now, ...options })
    const grown = [...all]
    for (let n = 0; n < 6; n++) {
      const thread = (n % 3 === 0 ? createHistory({ store, now, ...options }) : history).thread(
        'town',
      )
      const question = {
        role: 'user',
        content: `Where is the ${things[n % 8]!} of house ${n * 31}?`,
      }
      const begun = await thread.begin(question)
      if (begun.kind !== 'begun') throw new Error('expected a new turn')
      grown.push(question)
      const context = await thread.context({ system })
      expect(sent(context.messages)).toBe(sent(fit(withPrompt(grown), options).messages))
      const call = await thread.saveCall(context, { model: 'm' })
      expect(sent(await thread.replay(call))).toBe(sent(context.messages))
      const reply = { role: 'assistant', content: `I do not know, ${n}.` }
      await begun.turn.complete(reply)
      grown.push(reply)
    }
  })
})

describe('a stored call', () => {
  it('is made without a line for each message of the conversation', async () => {
    const thread = createHistory({ store: memoryStore(), window: 400, count: words() }).thread(
      'town',
    )
    await thread.seed(...conversation(50))
    const context = await thread.context()
    const entries = {
      enumerable: true,
      get: () => expect.unreachable('the lines of all messages are made'),
    }
    const receipt = Object.create(context.receipt, { entries })
    const call = await thread.saveCall({ ...context, receipt }, { model: 'm' })
    expect(sent(await thread.replay(call))).toBe(sent(context.messages))
  })
})

describe('what is in memory', () => {
  it('is let go, and comes back when it is asked for', async () => {
    const store = memoryStore()
    const options = { window: 400, count: words() }
    const thread = createHistory({ store, now, ...options }).thread('town')
    const all = conversation(5200)
    for (let n = 0; n < all.length; n += 1000) {
      await thread.seed(...all.slice(n, n + 1000))
      await thread.context({ policy: sliding({ messages: 8 }) })
    }
    const { messages } = await thread.context()
    expect(sent(messages)).toBe(sent(fit(inOneList(all), options).messages))
  })
})
