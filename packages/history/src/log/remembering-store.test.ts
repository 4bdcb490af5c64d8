import { estimate } from '@throughline/core/counters'
import { memoryStore } from '@throughline/stores/memory'
import { postgresStore } from '@throughline/stores/postgres'
import type { EntryRange, Store, StoredEntry, ThreadKey } from '@throughline/stores/store'
import { entry, newThread, storeCases } from '@throughline/stores/testing'
import { isLong } from '@throughline/test-tools/is-long'
import { describePostgres } from '@throughline/test-tools/postgres'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { toEntry } from './logged-message.ts'
import { listLog } from './read-log.ts'
import { rememberingStore } from './remembering-store.ts'

async function listOf(store: Store, thread: ThreadKey, range?: EntryRange): Promise<StoredEntry[]> {
  const found: StoredEntry[] = []
  for await (const one of store.entries(thread, range)) found.push(one)
  return found
}

async function write(store: Store, thread: ThreadKey, texts: readonly string[]): Promise<void> {
  const expectedHead = (await store.head(thread))?.head ?? 0
  await store.seed(thread, { expectedHead, entries: texts.map(text => entry(text)) })
}

/** Writes messages as a history does. */
async function say(store: Store, thread: ThreadKey, texts: readonly string[]): Promise<void> {
  const entries = texts.map(content =>
    toEntry({ role: 'user', content }, { id: content.slice(0, 9), time: 1, count: estimate() }),
  )
  await store.seed(thread, { expectedHead: 0, entries })
}

if (!isLong)
  console.info('Skipped: cases that read nothing on a store that remembers, only in the long run')

describe('a store that remembers', () => {
  for (const { name, run } of storeCases.filter(
    ({ name }) => isLong || /read|delete|fork|range/.test(name),
  ))
    it(name, async () => {
      const store = memoryStore()
      expect(await run(async () => rememberingStore(store))).toBeUndefined()
    })

  it('gives what the store has, in every range, however little it may remember', async () => {
    const place = fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined })
    const range = fc.record({ from: place, to: place, limit: place, reverse: fc.boolean() })
    const step = fc.oneof(range, fc.integer({ min: 1, max: 6 }))
    const limits = fc.record({
      mostEntries: fc.integer({ min: 1, max: 20 }),
      mostBytes: fc.integer({ min: 10, max: 100_000 }),
      mostThreads: fc.integer({ min: 1, max: 3 }),
    })
    const property = fc.asyncProperty(
      limits,
      fc.array(fc.tuple(fc.nat(2), step)),
      async (most, steps) => {
        const bare = memoryStore()
        const store = rememberingStore(bare, most)
        const threads = [newThread(), newThread(), newThread()]
        for (const [n, step] of steps) {
          const thread = threads[n]!
          if (typeof step === 'number') {
            await write(
              bare,
              thread,
              Array.from({ length: step }, (_, n) => `text ${n}`),
            )
            continue
          }
          const given = Object.fromEntries(
            Object.entries(step).filter(([, value]) => value !== undefined),
          )
          expect(await listOf(store, thread, given)).toEqual(await listOf(bare, thread, given))
        }
      },
    )
    await fc.assert(property, { numRuns: 200 })
  })

  it('reads an entry once: later readers get the same message, which nobody can change', async () => {
    const store = rememberingStore(memoryStore())
    const key = newThread()
    await say(store, key, ['one', 'two'])
    const source = { store, key, count: estimate() }
    const [first, again] = [await listLog(source), await listLog(source)]
    expect(again[0]!.message).toBe(first[0]!.message)
    expect(() => Object.assign(first[0]!.message, { content: 'other' })).toThrow(TypeError)
    const other = await listLog({ ...source, count: { ...source.count, id: 'other' } })
    expect(other).toEqual(first)
  })

  it('counts the values of a payload, which weigh more than their characters', async () => {
    const store = rememberingStore(memoryStore(), { mostBytes: 50_000 })
    const key = newThread()
    await say(store, key, [','.repeat(1000), 'x'.repeat(1000)])
    const source = { store, key, count: estimate() }
    const [first, again] = [await listLog(source), await listLog(source)]
    expect(again).toEqual(first)
    expect(again.map(({ message }, at) => message === first[at]!.message)).toEqual([false, true])
  })

  it('does not remember a payload that is very long', async () => {
    const store = rememberingStore(memoryStore())
    const key = newThread()
    await say(store, key, ['one', 'x'.repeat(300_000), 'three'])
    const source = { store, key, count: estimate() }
    const [first, again] = [await listLog(source), await listLog(source)]
    expect(again).toEqual(first)
    expect(again[1]!.message).not.toBe(first[1]!.message)
  })
})

/** What one instance remembers while another writes and deletes. */
async function sharesWith(one: Store, two: Store): Promise<void> {
  const thread = newThread()
  await write(one, thread, ['a', 'b'])
  expect(await listOf(one, thread)).toHaveLength(2)
  await write(two, thread, ['c', 'd'])
  expect((await listOf(one, thread, { from: 2 })).map(({ seq }) => seq)).toEqual([2, 3, 4])
  expect(await listOf(one, thread)).toEqual(await listOf(two, thread))
  await two.deleteConversation(thread.tenant, thread.conversation)
  expect(await listOf(one, thread)).toEqual([])
  expect(await listOf(one, thread, { from: 2, to: 2 })).toEqual([])
}

it('sees what another instance on the same store writes and deletes', async () => {
  const store = memoryStore()
  await sharesWith(rememberingStore(store), rememberingStore(store))
})

describePostgres('two instances on one PostgreSQL', server => {
  it('see what each other writes and deletes', async () => {
    const stores = [postgresStore({ url: server.url }), postgresStore({ url: server.url })] as const
    await stores[0].migrate()
    await sharesWith(rememberingStore(stores[0]), rememberingStore(stores[1]))
    await Promise.all(stores.map(store => store.close()))
  })
})
