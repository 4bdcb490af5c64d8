import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { entry, exchange, findAll, read, sentCall, texts } from '../testing/store-cases-help.ts'
import { loadDriver } from './driver.ts'
import { backupSqlite, sqliteStore } from './sqlite-store.ts'
import { describeBuilt, killAll, startProcess } from './writer-process.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-backup-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(killAll)
let files = 0
const newPath = () => join(mkdtempSync(join(folder, 'case-')), `${++files}.db`)
const code = (code: string) => expect.objectContaining({ code })
const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'assistant', branch: 'main' }
const partials = (path: string) =>
  readdirSync(join(path, '..')).filter(name => name.includes('partial'))

describe('backupSqlite', () => {
  it('copies a store that is open, with all that it has', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    for (let n = 0; n < 300; n++)
      await store.seed(thread, { expectedHead: n, entries: [entry(`pelican ${n}`)] })
    await store.fork(thread, { at: 2, branch: 'edit' })
    await store.saveCall(thread, { ...sentCall, id: 'c' })
    await store.deleteConversation('acme', 'never')
    const to = `${path}.copy`
    const { bytes } = await backupSqlite({ path, to })
    expect(bytes).toBe(statSync(to).size)
    expect(partials(path)).toEqual([])
    await store.seed(thread, { expectedHead: 300, entries: [entry('afterwards')] })
    const copy = sqliteStore({ path: to })
    expect(await copy.check()).toEqual([])
    expect(await copy.migrate({ dryRun: true })).toEqual([])
    expect(await texts(copy, thread)).toEqual((await texts(store, thread)).slice(0, 300))
    expect((await findAll(copy, 'acme', 'pelican', { limit: 999 })).length).toBe(300)
    expect((await copy.calls(thread)).length).toBe(1)
    await exchange(copy, { ...thread, branch: 'edit' }, 'goes on')
    await exchange(store, thread, 'goes on')
    await copy.close()
    await store.close()
  })

  it('overwrites nothing', async () => {
    const path = newPath()
    await sqliteStore({ path }).close()
    writeFileSync(`${path}.copy`, 'mine')
    await expect(backupSqlite({ path, to: `${path}.copy` })).rejects.toThrow(code('invalid_option'))
    await expect(backupSqlite({ path, to: path })).rejects.toThrow(code('invalid_option'))
    expect(statSync(`${path}.copy`).size).toBe(4)
  })

  it('leaves nothing behind when it fails', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    await exchange(store, thread, 'a')
    await store.close()
    const Driver = loadDriver()
    /** A driver that fails while the copy is written, like a full disk. */
    class Failing extends Driver {
      override prepare(sql: string) {
        const statement = super.prepare(sql)
        if (!sql.startsWith('VACUUM')) return statement
        const run = (...values: Parameters<typeof statement.run>) => {
          statement.run(...values)
          throw Object.assign(new Error('disk full'), { errcode: 13 })
        }
        return { run, get: () => undefined, all: () => [], iterate: () => [] }
      }
    }
    const to = `${path}.copy`
    await expect(backupSqlite({ path, to, driver: Failing })).rejects.toThrow(code('store_full'))
    await expect(backupSqlite({ path, to: join(folder, 'missing', 'x.db') })).rejects.toThrow(
      code('store_io'),
    )
    await expect(backupSqlite({ path: `${path}.missing`, to })).rejects.toThrow(code('store_io'))
    writeFileSync(`${path}.text`, 'this is no database '.repeat(100))
    await expect(backupSqlite({ path: `${path}.text`, to })).rejects.toThrow(code('store_corrupt'))
    expect(readdirSync(join(path, '..')).filter(name => name.includes('copy'))).toEqual([])
  })

  const isWindows = process.platform === 'win32'
  if (isWindows) console.warn('Not tested: who may read a copy: files have no modes on Windows.')
  it.skipIf(isWindows)('lets nobody read the copy who may not read the file', async () => {
    const path = newPath()
    await sqliteStore({ path }).close()
    chmodSync(path, 0o600)
    await backupSqlite({ path, to: `${path}.copy` })
    expect(statSync(`${path}.copy`).mode & 0o777).toBe(0o600)
  })
})

describeBuilt('backupSqlite while another process writes', () => {
  it('has all that was acknowledged before, up to one moment, and holds nobody up for good', async () => {
    const path = newPath()
    const writer = startProcess('append', path)
    const key = { ...thread, conversation: 'killed' }
    for (const count of [20, 60, 120]) {
      const before = [...(await writer.lines(count))]
      const to = `${path}.${count}`
      await backupSqlite({ path, to })
      const copy = sqliteStore({ path: to })
      expect(await copy.check()).toEqual([])
      const ids = (await read(copy, key)).map(({ id }) => id)
      expect(ids.slice(0, before.length)).toEqual(before)
      await copy.close()
    }
    const { length } = await writer.lines(121)
    await writer.lines(length + 1)
    const printed = await writer.kill()
    expect(new Set(printed).size).toBe(printed.length)
  })
})
