import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { entry, exchange, findAll, long, open, texts } from '../testing/store-cases-help.ts'
import { createDiskSync } from './disk-sync.ts'
import { sqliteStore } from './sqlite-store.ts'
import { watchDisk } from './watched-disk.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-sync-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `${++files}.db`)
const code = (code: string) => expect.objectContaining({ code })
const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'assistant', branch: 'main' }

/** Lets everything run that does not wait for a sync. */
const idle = () => new Promise(resolve => setImmediate(resolve))

/** A log of our own, and what has been told to those who wait for it. */
function openSync() {
  const path = newPath()
  writeFileSync(`${path}-wal`, '')
  const disk = watchDisk()
  const sync = createDiskSync(path)
  const told: string[] = []
  const commit = (name: string) => {
    sync.expectCommit()
    appendFileSync(`${path}-wal`, name)
    return sync.synced().then(
      () => told.push(name),
      error => told.push(`${name} ${error.code}`),
    )
  }
  return { path, disk, sync, told, commit }
}

describe('createDiskSync', () => {
  it('runs one sync at a time, which never speaks for a commit that came after it began', async () => {
    const { disk, sync, told, commit } = openSync()
    disk.isHeld = true
    const all = [commit('a')]
    await idle()
    all.push(commit('b'), commit('c'))
    await idle()
    expect([disk.begun, disk.running, told]).toEqual([1, 1, []])
    disk.release()
    await expect.poll(() => disk.begun).toBe(2)
    expect([disk.running, told]).toEqual([1, ['a']])
    disk.isHeld = false
    disk.release()
    await Promise.all(all)
    expect([disk.begun, told]).toEqual([2, ['a', 'b', 'c']])
    sync.close()
  })

  it('lets those who were told commit again before the next sync, and share it', async () => {
    const { disk, sync, told, commit } = openSync()
    disk.isHeld = true
    const first = commit('a').then(() => commit('c'))
    const second = commit('b')
    await idle()
    disk.isHeld = false
    disk.release()
    await Promise.all([first, second])
    expect([disk.begun, told.sort()]).toEqual([2, ['a', 'b', 'c']])
    sync.close()
  })

  it('waits for nothing where nothing was committed since, and for the running sync where that has all', async () => {
    const { disk, sync, commit } = openSync()
    await sync.synced()
    expect(disk.begun).toBe(0)
    disk.isHeld = true
    const [first, second] = [commit('a'), sync.synced()]
    expect(sync.isBehind()).toBe(true)
    disk.release()
    await Promise.all([first, second])
    await sync.synced()
    expect([disk.begun, sync.isBehind()]).toEqual([1, false])
    sync.close()
  })

  it('rejects all that wait when a sync fails, and refuses every later commit', async () => {
    const { path, disk, sync, told, commit } = openSync()
    await commit('a')
    disk.isHeld = true
    disk.error = 'EIO'
    const all = [commit('b'), idle().then(() => commit('c'))]
    await idle()
    await idle()
    disk.release()
    await Promise.all(all)
    expect(told).toEqual(['a', 'b store_io', 'c store_io'])
    disk.error = undefined
    expect(() => sync.assertSound()).toThrow(code('store_io'))
    expect(() => sync.assertSound()).toThrow(
      /^.*\.db: nothing was stored, because .*EIO.*open it again/,
    )
    await expect(sync.synced()).rejects.toThrow(/-wal: .*EIO.*may be stored or not.*open it again/)
    expect([disk.begun, sync.isBehind()]).toEqual([2, false])
    sync.close()
    expect(readFileSync(`${path}-wal`, 'utf8')).toBe('abc')
  })

  it('says that a log cannot be opened, and tries again', async () => {
    const path = newPath()
    const sync = createDiskSync(path)
    expect(() => sync.expectCommit()).toThrow(code('store_io'))
    await sync.synced()
    const bytes = Buffer.alloc(2_500_000, 'some bytes of a log ')
    writeFileSync(`${path}-wal`, bytes)
    sync.expectCommit()
    await sync.synced()
    // They were written anew, and are the same.
    expect(readFileSync(`${path}-wal`).equals(bytes)).toBe(true)
    sync.close()
  })
})

describe('sqliteStore', () => {
  it('is read at once, and acknowledges a write when the disk has it', async () => {
    const disk = watchDisk()
    const store = sqliteStore({ path: newPath() })
    await store.migrate()
    disk.isHeld = true
    let isTold = false
    const begun = open(store, thread).then(() => {
      isTold = true
    })
    await expect.poll(() => disk.running).toBe(1)
    expect(await texts(store, thread)).toHaveLength(1)
    await idle()
    expect(isTold).toBe(false)
    disk.isHeld = false
    disk.release()
    await begun
    await store.close()
  })

  it('closes its file after the sync that runs, and tells its writers', async () => {
    const disk = watchDisk()
    const path = newPath()
    const store = sqliteStore({ path })
    await store.migrate()
    disk.isHeld = true
    const told: string[] = []
    const begun = open(store, thread).then(() => told.push('written'))
    await expect.poll(() => disk.running).toBe(1)
    const closed = Promise.all([store.close(), store.close()]).then(() => told.push('closed'))
    await idle()
    expect(told).toEqual([])
    await expect(store.head(thread)).rejects.toThrow(code('store_closed'))
    disk.isHeld = false
    disk.release()
    await Promise.all([begun, closed])
    expect([told.sort(), disk.closedEarly]).toEqual([['closed', 'written'], []])
    const next = sqliteStore({ path })
    expect(await texts(next, thread)).toHaveLength(1)
    await next.close()
  })

  it.each(['EIO', 'ENOSPC'] as const)(
    'takes no more writes after %s, is read, and goes on when opened again',
    async error => {
      const disk = watchDisk()
      const path = newPath()
      const store = sqliteStore({ path })
      await exchange(store, thread, 'kept', 'well')
      const { lease } = await open(store, { ...thread, conversation: 'other' })
      const append = { lease, expectedHead: 1, entries: [entry('followed')], mayDeferSync: true }
      await store.append({ ...thread, conversation: 'other' }, append)
      disk.error = error
      const turn = { owner: 'ada', leaseMs: long, entries: [entry('perhaps')] }
      const outcomes = await Promise.allSettled([
        store.begin(thread, turn),
        store.begin({ ...thread, conversation: 'third' }, turn),
      ])
      expect(outcomes).toMatchObject(
        [1, 2].map(() => ({ status: 'rejected', reason: code('store_io') })),
      )
      disk.error = undefined
      const { begun } = disk
      await expect(store.begin({ ...thread, conversation: 'fourth' }, turn)).rejects.toThrow(
        'nothing was stored',
      )
      const cache = store.saveCache(thread, 'fold', 1, new Uint8Array([1]))
      await expect(cache).rejects.toThrow(code('store_io'))
      await expect(store.deleteConversation('acme', 'lemonade')).rejects.toThrow(code('store_io'))
      expect((await texts(store, thread)).slice(0, 2)).toEqual(['kept', 'well'])
      expect((await store.conversations('acme')).map(({ conversation }) => conversation)).toContain(
        'lemonade',
      )
      expect(await findAll(store, 'acme', 'kept')).toHaveLength(1)
      expect(await store.check()).toEqual([])
      await store.close()
      expect([disk.begun, disk.closedEarly]).toEqual([begun, []])
      const next = sqliteStore({ path })
      expect(await next.check()).toEqual([])
      expect((await texts(next, thread)).slice(0, 2)).toEqual(['kept', 'well'])
      await exchange(next, { ...thread, conversation: 'fourth' }, 'and on')
      await next.close()
    },
  )

  it('tells that a conversation was deleted, though it closes meanwhile', async () => {
    const store = sqliteStore({ path: newPath() })
    await exchange(store, thread, 'kept', 'well')
    const deleted = store.deleteConversation(thread.tenant, thread.conversation)
    await store.close()
    expect(await deleted).toBe(true)
  })

  it('syncs what nobody waited for when it closes', async () => {
    const disk = watchDisk()
    const store = sqliteStore({ path: newPath() })
    await exchange(store, thread, 'a')
    const { begun } = disk
    await store.saveCache(thread, 'fold', 1, new Uint8Array([1]))
    expect(disk.begun).toBe(begun)
    await store.close()
    expect(disk.begun).toBe(begun + 1)
  })
})
