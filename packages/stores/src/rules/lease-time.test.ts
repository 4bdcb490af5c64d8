import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { documentStore } from '../document/document-store.ts'
import { memoryStore } from '../memory/memory-store.ts'
import { sqliteStore } from '../sqlite/sqlite-store.ts'
import { long, open } from '../testing/store-cases-help.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-lease-'))
afterAll(() => rmSync(folder, { recursive: true }))

const thread = { tenant: '', conversation: 'c', actor: 'a', branch: 'main' }
const day = 86_400_000
const texts = new Map<string, string>()
const stores = {
  memory: (now: () => number) => memoryStore({ now }),
  documents: (now: () => number) =>
    documentStore({
      load: async name =>
        texts.has(name) ? { text: texts.get(name)!, version: texts.get(name)! } : undefined,
      save: async (name, text, expected) => texts.get(name) === expected && !!texts.set(name, text),
      list: async () => [],
      now,
    }),
  sqlite: (now: () => number) => sqliteStore({ path: join(folder, 'clock.db'), now }),
}

describe.each(Object.entries(stores))('a clock that goes back a day, on %s', (_, create) => {
  it('holds a turn for no longer than its lease', async () => {
    let now = 10 * day
    const store = create(() => now)
    await open(store, thread, { leaseMs: 30_000 })
    now -= day
    const refused = { code: 'turn_open', retryAfterMs: 30_000 }
    await expect(open(store, thread, { owner: 'bob' })).rejects.toMatchObject(refused)
    expect((await store.head(thread))?.open?.expiresInMs).toBe(30_000)
    now += 29_999
    await expect(open(store, thread, { owner: 'bob' })).rejects.toMatchObject({ retryAfterMs: 1 })
    now += 1
    expect((await open(store, thread, { owner: 'bob' })).turn.turn).toBe(2)
    await store.close()
  })

  it('does not take a turn from a writer who lives', async () => {
    let now = 20 * day
    const store = create(() => now)
    const other = { ...thread, actor: 'b' }
    const { lease } = await open(store, other, { leaseMs: 30_000 })
    now -= day
    for (let renewals = 0; renewals < 6; renewals++) {
      await expect(open(store, other, { owner: 'bob' })).rejects.toMatchObject({
        code: 'turn_open',
      })
      now += 10_000
      await store.renew(other, lease, 30_000)
    }
    await store.end(other, { lease, expectedHead: 1, entries: [], status: 'completed' })
    await store.close()
  })
})

it('a writer of an SQLite file knows that the one before is gone, whatever the clocks say', async () => {
  let now = 5 * day
  const path = join(folder, 'gone.db')
  const first = sqliteStore({ path, now: () => now })
  await open(first, thread, { leaseMs: long })
  await first.close()
  now -= day
  const second = sqliteStore({ path, now: () => now })
  expect((await second.head(thread))?.open?.expiresInMs).toBe(0)
  expect((await second.resume(thread, { owner: 'bob', leaseMs: long }))?.turn.turn).toBe(1)
  await expect(open(second, thread)).rejects.toMatchObject({
    code: 'turn_open',
    retryAfterMs: long,
  })
  await second.close()
})
