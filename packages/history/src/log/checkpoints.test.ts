import { fit } from '@throughline/core/context'
import { words } from '@throughline/core/counters'
import type { MessageLike } from '@throughline/core/messages'
import { memoryStore } from '@throughline/stores/memory'
import type { Store } from '@throughline/stores/store'
import { someStores } from '@throughline/test-tools/every-store'
import { isLong } from '@throughline/test-tools/is-long'
import { describe, expect, it } from 'vitest'
import { createHistory } from '../create-history.ts'
import type { History } from '../history.ts'

if (!isLong)
  console.info('Skipped: most damages of a checkpoint, and other stores, only in the long run')

const room = { window: 300, count: words() }
const options = { ...room, now: () => 1 }
const key = { tenant: 'default', conversation: 'town', actor: 'assistant', branch: 'main' }
const places = ['harbour', 'lighthouse', 'orchard', 'quarry', 'station']

/** Each is a unit of its own. */
const said = (size: number): MessageLike[] =>
  Array.from({ length: size }, (_, n) => ({
    role: n % 2 === 0 ? 'user' : 'assistant',
    content: `house ${n >> 3} lies at the ${places[n % 5]}`,
  }))

const sent = (messages: readonly object[]) => JSON.stringify(messages)
const inOneList = (messages: readonly MessageLike[]) =>
  sent(
    fit(
      messages.map(message => ({ ...message, time: 1 })),
      room,
    ).messages,
  )

/** A store that counts the entries that are read, and knows the names of the caches. */
function watched(store: Store) {
  const seen = { read: 0, saved: new Set<string>() }
  return {
    ...store,
    seen,
    saveCache(...given: Parameters<Store['saveCache']>) {
      seen.saved.add(given[1])
      return store.saveCache(...given)
    },
    async *entries(...given: Parameters<Store['entries']>) {
      for await (const entry of store.entries(...given)) {
        seen.read += 1
        yield entry
      }
    },
  }
}

/** The context of a process that has just started. */
async function restarted(store: Store, branch = 'main') {
  const counted = watched(store)
  const { messages } = await createHistory({ store: counted, ...options })
    .thread('town', { branch })
    .context()
  return { sent: sent(messages), ...counted.seen }
}

/** As a build of another version has sealed it. */
async function age(store: Store, name: string): Promise<void> {
  const { at, bytes } = (await store.loadCache(key, name))!
  const aged = bytes.slice()
  aged[3] = aged[3]! - 1
  await store.saveCache(key, name, at, aged)
}

async function damage(store: Store, name: string): Promise<void> {
  const { at, bytes } = (await store.loadCache(key, name))!
  await store.saveCache(
    key,
    name,
    at,
    bytes.map((byte, place) => (place === 999 ? byte ^ 1 : byte)),
  )
}

const bundle = `units 1 ${options.count.id} bundle 0`
const single = (number: number) => `units 1 ${options.count.id} ${number}`

it.runIf(isLong)(
  'does not take a later checkpoint for an earlier one, where no message has a word',
  async () => {
    const store = memoryStore()
    const thread = createHistory({ store, ...options }).thread('town')
    // Words that are left out: they would tell one checkpoint from another.
    const all = said(9500).map((message, n) =>
      n === 9000 ? { role: 'system', content: 'it is so' } : { ...message, content: 'it is' },
    )
    await thread.seed(...all)
    await thread.context()
    await damage(store, bundle)
    expect((await restarted(store)).sent).toBe(inOneList(all))
  },
)

it.each(await someStores())(
  'does not take the checkpoints of another log, on no branch: %s',
  async (_, create) => {
    const [own, other] = [create(), create()]
    const all = said(1300)
    const longer = all.map(({ role }, n) => ({
      role,
      content: `the ferry ${n} leaves at noon and at nine`,
    }))
    for (const [store, messages] of [
      [own, all],
      [other, longer],
    ] as const) {
      const thread = createHistory({ store, ...options }).thread('town')
      await thread.seed(...messages)
      await thread.context()
    }
    await createHistory({ store: own, ...options })
      .thread('town')
      .fork({ at: 1200, branch: 'side' })
    for (const name of [0, 1, 2].map(single)) {
      const { at, bytes } = (await other.loadCache(key, name))!
      await own.saveCache(key, name, at, bytes)
    }
    expect((await restarted(own)).sent).toBe(inOneList(all))
    expect((await restarted(own, 'side')).sent).toBe(inOneList(all.slice(0, 1200)))
    // What was made again is taken.
    const { read, saved } = await restarted(own)
    expect(saved.size).toBe(0)
    expect(read).toBeLessThan(200)
  },
)

it('makes the checkpoints of another version again, and calls them no fault', async () => {
  const store = memoryStore()
  const history = createHistory({ store, ...options })
  await history.thread('town').seed(...said(600))
  await history.thread('town').context()
  await age(store, single(0))
  expect(await history.check()).toEqual([])
  expect((await restarted(store)).sent).toBe(inOneList(said(600)))
  expect((await restarted(store)).saved.size).toBe(0)
})

describe('the stored checkpoints of a thread', async () => {
  const all = said(9500)
  const expected = inOneList(all)
  const fresh = async (size = all.length, given: Store = memoryStore()) => {
    const store = watched(given)
    const history = createHistory({ store, ...options })
    const thread = history.thread('town')
    for (let from = 0; from < size; from += 700) {
      await thread.seed(...all.slice(from, Math.min(size, from + 700)))
      await thread.context()
    }
    return { store, history, thread }
  }
  const { store, history, thread } = await fresh()

  /** Makes all again; then nothing is wrong, and a restart has nothing to make and little to read. */
  async function expectRebuilt(history: History, store: Store): Promise<void> {
    await history.check({ rebuild: true })
    expect(await history.check()).toEqual([])
    const { sent, saved, read } = await restarted(store)
    expect(sent).toBe(expected)
    expect(saved.size).toBe(0)
    expect(read).toBeLessThan(200)
  }

  it('are a bundle and a few single ones: a restart reads the texts of few units', async () => {
    expect([...store.seen.saved].filter(name => name.includes('bundle'))).toEqual([bundle])
    const { sent, read, saved } = await restarted(store)
    expect(sent).toBe(expected)
    expect(read).toBeLessThan(200)
    expect(saved.size).toBe(0)
  })

  it('are found to be what the log says', async () => {
    expect(await history.check()).toEqual([])
  })

  it('are enough below one checkpoint, at the end of a bundle, and after it', async () => {
    const { store, thread } = await fresh(300)
    for (const [size, next] of [
      [300, 8192],
      [8192, 8193],
      [8193, 8193],
    ] as const) {
      const { sent, read } = await restarted(store)
      expect([size, sent]).toEqual([size, inOneList(all.slice(0, size))])
      // About as many as stand since the last cut, and what is looked into for them.
      expect(read).toBeLessThan(400)
      await thread.seed(...all.slice(size, next))
      await thread.context()
    }
  })

  it.runIf(isLong).each(await someStores())('are enough in any store: %s', async (_, create) => {
    const { store } = await fresh(8900, create())
    const { sent, read, saved } = await restarted(store)
    expect(sent).toBe(inOneList(all.slice(0, 8900)))
    expect(read).toBeLessThan(200)
    expect(saved.size).toBe(0)
  })

  it('lend a branch what came before it, inside a bundle too', async () => {
    await thread.fork({ at: 5000, branch: 'other' })
    const { sent, read } = await restarted(store, 'other')
    expect(sent).toBe(inOneList(all.slice(0, 5000)))
    // 4608 units are in full checkpoints.
    expect(read).toBeLessThan(500)
    const other = createHistory({ store, ...options }).thread('town', { branch: 'other' })
    await other.seed(...all.slice(5000))
    await other.context()
    const again = await restarted(store, 'other')
    expect(again.sent).toBe(expected)
    expect(again.read).toBeLessThan(200)
  })

  /** Each test that damages it leaves it whole. */
  const repaired = fresh()

  const damages = [
    ['bundle', bundle, '8192'],
    ['full one', single(1), '9216'],
    ['last one', single(2), '9472'],
  ] as const
  it.each(isLong ? damages : damages.slice(0, 1))(
    'are done without, reported and made again where they are damaged: a %s',
    async (_, name, units) => {
      const { store, history } = await repaired
      await damage(store, name)
      expect(await history.check()).toEqual([
        `town/assistant/main: the checkpoint of ${units} units is not what the log says`,
      ])
      expect((await restarted(store)).sent).toBe(expected)
      // The restart has stored what it had to make again.
      expect((await restarted(store)).read).toBeLessThan(200)
      await damage(store, name)
      await expectRebuilt(history, store)
    },
  )

  it.runIf(isLong)(
    'are done without, reported and made again where they are those of another log',
    async () => {
      const { store, history } = await repaired
      const other = memoryStore()
      const call = { function: { name: 'ring', arguments: {} } }
      const changed = all
        .with(1001, { ...all[1001]!, tool_calls: [call] })
        .with(1002, { role: 'tool', content: 'rang' })
      const thread = createHistory({ store: other, ...options }).thread('town')
      await thread.seed(...changed)
      await thread.context()
      for (const name of [bundle, ...Array.from({ length: 16 }, (_, number) => single(number))]) {
        const cache = await other.loadCache(key, name)
        if (cache) await store.saveCache(key, name, cache.at, cache.bytes)
      }
      const problems = await history.check()
      expect(problems.length).toBeGreaterThan(2)
      expect(new Set(problems).size).toBe(problems.length)
      expect((await restarted(store)).sent).toBe(expected)
      await expectRebuilt(history, store)
    },
  )
})
