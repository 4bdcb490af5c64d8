import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fill, mount, smallDisk, unmountAll, whyNoMounts } from '@throughline/test-tools/mounts'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { exchange, findAll, open, texts } from '../testing/store-cases-help.ts'
import { loadDriver } from './driver.ts'
import { sqliteStore } from './sqlite-store.ts'
import { lockForWriting } from './writer-lock.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-disk-'))
const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'a', branch: 'main' }
const code = (code: string) => expect.objectContaining({ code })
afterEach(unmountAll)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const reason = whyNoMounts()
if (reason) console.log(`Not tested: read-only mounts and full disks, because ${reason}.`)

/** Mounts a folder a second time, read-only. */
function mountToRead(source: string): string {
  const at = mount('--bind', source)
  spawnSync('mount', ['-o', 'remount,ro,bind', at])
  expect(() => writeFileSync(join(at, 'x'), '')).toThrow('EROFS')
  return at
}

const newFolder = () => mkdtempSync(join(folder, 'files-'))

/** Writes and closes a store, copies its file to a folder and returns the copy's path. */
async function ship(to: string, options: { search?: boolean } = {}): Promise<string> {
  const [source, path] = [join(newFolder(), 'log.db'), join(to, 'log.db')]
  const store = sqliteStore({ path: source, ...options })
  await exchange(store, thread, 'the pelican', 'a bird')
  await store.close()
  copyFileSync(source, path)
  return path
}

describe.skipIf(reason)('on a read-only mount', () => {
  it('a file that was closed is read, and found by search', async () => {
    const source = newFolder()
    await ship(source)
    const path = join(mountToRead(source), 'log.db')
    const reader = sqliteStore({ path, readOnly: true })
    expect(await texts(reader, thread)).toEqual(['the pelican', 'a bird'])
    expect(await findAll(reader, 'acme', 'pelican')).toHaveLength(1)
    expect(await reader.check()).toEqual([])
    await expect(open(reader, thread)).rejects.toThrow(code('store_read_only'))
    await reader.close()
    expect(() => sqliteStore({ path })).toThrow(code('store_io'))
  })

  it('a file that is being written elsewhere is read as it grows', async () => {
    const source = newFolder()
    const at = mountToRead(source)
    const writer = sqliteStore({ path: join(source, 'log.db') })
    await exchange(writer, thread, 'a')
    const reader = sqliteStore({ path: join(at, 'log.db'), readOnly: true })
    expect(await texts(reader, thread)).toEqual(['a'])
    await exchange(writer, thread, 'b')
    expect(await texts(reader, thread)).toEqual(['a', 'b'])
    await Promise.all([reader.close(), writer.close()])
  })

  it('a file that was closed when it was opened is read anew when somebody writes to it', async () => {
    const source = newFolder()
    const path = await ship(source)
    const reader = sqliteStore({ path: join(mountToRead(source), 'log.db'), readOnly: true })
    expect(await texts(reader, thread)).toEqual(['the pelican', 'a bird'])
    const writer = sqliteStore({ path })
    await exchange(writer, thread, 'b')
    expect(await texts(reader, thread)).toEqual(['the pelican', 'a bird', 'b'])
    await exchange(writer, thread, 'c')
    await writer.close()
    expect(await texts(reader, thread)).toEqual(['the pelican', 'a bird', 'b', 'c'])
    await reader.close()
  })
})

describe.skipIf(reason)('on a full disk', () => {
  it.each([false, true])(
    'a file is opened for writing and read; writes are refused until there is room (with a lock: %s)',
    async hasLock => {
      const at = smallDisk('3m')
      const path = await ship(at)
      if (hasLock) lockForWriting(loadDriver(), path)()
      const makeRoom = fill(at)
      const store = sqliteStore({ path })
      expect(await texts(store, thread)).toEqual(['the pelican', 'a bird'])
      expect(await findAll(store, 'acme', 'pelican')).toHaveLength(1)
      await expect(open(store, thread)).rejects.toThrow(code('store_full'))
      expect(() => sqliteStore({ path })).toThrow(code('store_locked'))
      expect(await texts(store, thread)).toEqual(['the pelican', 'a bird'])
      makeRoom()
      await exchange(store, thread, 'and now?')
      expect(await store.check()).toEqual([])
      await store.close()
      const after = sqliteStore({ path })
      expect(await texts(after, thread)).toEqual(['the pelican', 'a bird', 'and now?'])
      await after.close()
    },
  )

  it('a file without a word index is searched without one', async () => {
    const at = smallDisk('3m')
    const path = await ship(at, { search: false })
    fill(at)
    const store = sqliteStore({ path })
    expect(await findAll(store, 'acme', 'pelican')).toHaveLength(1)
    await store.close()
  })

  it('a new file is refused', () => {
    const at = smallDisk('1m')
    fill(at)
    expect(() => sqliteStore({ path: join(at, 'log.db') })).toThrow(code('store_full'))
  })
})
