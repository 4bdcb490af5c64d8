import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { entry, long, open, read } from '../testing/store-cases-help.ts'
import { countingDriver } from './counting-driver.fixture.ts'
import { sqliteStore } from './sqlite-store.ts'
import { watchDisk } from './watched-disk.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-groups-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0

/** A store, and what it has committed. */
function openStore() {
  const { driver, state } = countingDriver()
  const path = join(folder, `${++files}.db`)
  return { path, state, store: sqliteStore({ path, driver }) }
}

const thread = (conversation: string | number) => ({
  ...{ tenant: 'acme', actor: 'assistant', branch: 'main' },
  conversation: `c${conversation}`,
})
const turn = (text = 'hello') => ({ owner: 'ada', leaseMs: long, entries: [entry(text)] })
const code = (code: string) => expect.objectContaining({ code })

it('commits the writes of one moment together', async () => {
  const { store, state } = openStore()
  await store.migrate()
  state.commits = 0
  const begun = await Promise.all(Array.from({ length: 20 }, (_, n) => open(store, thread(n))))
  expect(state.commits).toBe(1)
  expect(begun.map(({ head }) => head)).toEqual(Array.from({ length: 20 }, () => 1))
  for (let n = 0; n < 20; n++) expect(await read(store, thread(n))).toHaveLength(1)
  await store.close()
})

it('takes no write back because another one fails', async () => {
  const { store } = openStore()
  await open(store, thread('held'))
  const outcomes = await Promise.allSettled([
    store.begin(thread(1), turn()),
    store.begin(thread('held'), turn()),
    store.begin(thread(2), { ...turn(), expectedHead: 7 }),
    store.begin(thread(3), turn()),
  ])
  expect(outcomes.map(({ status }) => status)).toEqual([
    'fulfilled',
    'rejected',
    'rejected',
    'fulfilled',
  ])
  expect(outcomes[1]).toMatchObject({ reason: code('turn_open') })
  expect(outcomes[2]).toMatchObject({ reason: code('conflict') })
  const heads = await Promise.all([1, 'held', 2, 3].map(name => store.head(thread(name))))
  expect(heads.map(head => head?.head)).toEqual([1, 1, undefined, 1])
  expect(heads[0]?.open?.expiresInMs).toBeGreaterThan(0)
  expect(await store.check()).toEqual([])
  await store.close()
})

it('tries each write alone when the commit of all fails', async () => {
  const { store, state } = openStore()
  await store.migrate()
  state.fails = true
  await Promise.all([1, 2].map(name => open(store, thread(name))))
  for (const name of [1, 2]) expect(await read(store, thread(name))).toHaveLength(1)
  await store.close()
})

it('lets one of two writers of a thread begin a turn', async () => {
  const { store } = openStore()
  const outcomes = await Promise.allSettled([1, 2].map(() => store.begin(thread('one'), turn())))
  expect(outcomes).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: code('turn_open') },
  ])
  expect(await store.turns(thread('one'))).toMatchObject([{ status: 'open' }])
  await store.close()
})

it('writes what waits before it closes', async () => {
  const { store, path } = openStore()
  const begun = Promise.all([1, 2].map(name => open(store, thread(name))))
  await store.close()
  await begun
  const again = sqliteStore({ path })
  for (const name of [1, 2]) expect(await read(again, thread(name))).toHaveLength(1)
  await again.close()
})

it('waits for the disk once for writes that are followed and the one that follows', async () => {
  const disk = watchDisk()
  const { store } = openStore()
  const begun = await open(store, thread(1))
  const waited = disk.begun
  const append = { lease: begun.lease, expectedHead: 1, entries: [entry('a')], mayDeferSync: true }
  await store.append(thread(1), append)
  await store.append(thread(1), { ...append, expectedHead: 2, entries: [entry('b')] })
  await store.saveCache(thread(1), 'fold', 1, new Uint8Array([1]))
  expect(disk.begun).toBe(waited)
  await store.append(thread(1), {
    ...append,
    expectedHead: 3,
    entries: [entry('c')],
    mayDeferSync: false,
  })
  expect(disk.begun).toBe(waited + 1)
  await Promise.all([
    store.begin(thread(2), { ...turn(), mayDeferSync: true }),
    store.begin(thread(3), turn()),
    store.begin(thread(4), { ...turn(), mayDeferSync: true }),
  ])
  expect(disk.begun).toBe(waited + 2)
  await store.close()
})
