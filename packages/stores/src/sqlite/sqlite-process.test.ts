import { linkSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, it } from 'vitest'
import { entry, read } from '../testing/store-cases-help.ts'
import { sqliteStore } from './sqlite-store.ts'
import { describeBuilt, killAll, startProcess as start } from './writer-process.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-process-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(killAll)
let files = 0
const newPath = () => join(folder, `${++files}.db`)

const thread = { tenant: 'acme', conversation: 'killed', actor: 'assistant', branch: 'main' }

describeBuilt('sqliteStore and processes', () => {
  it('refuses a second process that opens the file for writing, and says who has it', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    await store.migrate()
    const refused = JSON.parse((await start('append', path).lines(1))[0]!)
    expect(refused.code).toBe('store_locked')
    expect(refused.message).toContain(`process ${process.pid}`)
    await store.close()
  })

  it('gets the file when the process that had it was killed', async () => {
    const path = newPath()
    const child = start('hold', path)
    expect(await child.lines(1)).toEqual(['holding'])
    expect(() => sqliteStore({ path })).toThrow(expect.objectContaining({ code: 'store_locked' }))
    const reader = sqliteStore({ path, readOnly: true })
    expect((await reader.head(thread))?.turns).toBe(1)
    await reader.close()
    await child.kill()
    const store = sqliteStore({ path })
    expect(await store.check()).toEqual([])
    await store.close()
  })

  describe('while another process writes', () => {
    const tryToOpen = (path: string) => {
      try {
        void sqliteStore({ path }).close()
        return 'opened'
      } catch (error) {
        return (error as { code: string }).code
      }
    }
    const otherFolder = () => {
      const other = join(folder, `${++files}`)
      mkdirSync(other)
      return other
    }

    it.each([
      ['a hard link beside it', (path: string) => `${path}.link`, linkSync],
      ['a hard link elsewhere', () => join(otherFolder(), 'log.db'), linkSync],
      ['a new name', (path: string) => `${path}.moved`, renameSync],
    ])(
      'refuses %s, and lets it in when the writer and the other names are gone',
      async (_, nameOf, make) => {
        const path = newPath()
        const child = start('hold', path)
        await child.lines(1)
        const name = nameOf(path)
        make(path, name)
        expect([tryToOpen(name), tryToOpen(name)]).toEqual(['store_locked', 'store_locked'])
        await child.kill()
        if (make === linkSync) expect(tryToOpen(name)).toBe('store_locked')
        rmSync(path, { force: true })
        expect(tryToOpen(name)).toBe('opened')
      },
    )

    it('refuses a second one though the lock was deleted, and lets it in when the writer is gone', async () => {
      const path = newPath()
      const child = start('hold', path)
      await child.lines(1)
      rmSync(`${path}-lock`)
      // Twice: a refused process must not leave a lock behind that lets the next one in.
      expect([tryToOpen(path), tryToOpen(path)]).toEqual(['store_locked', 'store_locked'])
      await child.kill()
      expect(tryToOpen(path)).toBe('opened')
    })

    it('lets the name that was written to before go on, though there is a hard link', async () => {
      const path = newPath()
      const child = start('hold', path)
      await child.lines(1)
      await child.kill()
      linkSync(path, `${path}.link`)
      expect(tryToOpen(path)).toBe('opened')
    })
  })

  it('is read by another process while it is written, and after it was closed', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    await store.seed(thread, { expectedHead: 0, entries: [entry('a', { id: 'one' })] })
    expect(await start('read', path).lines(1)).toEqual(['one'])
    await store.seed(thread, { expectedHead: 1, entries: [entry('b', { id: 'two' })] })
    await store.close()
    expect(await start('read', path).lines(2)).toEqual(['one', 'two'])
  })

  it('has every append that it acknowledged before it was killed', async () => {
    const path = newPath()
    let acknowledged = 0
    for (const count of [1, 7, 20, 60]) {
      const { lost, ids } = await killAfter('append', path, count)
      expect(lost).toEqual([])
      acknowledged += ids.length
    }
    expect(acknowledged).toBeGreaterThanOrEqual(88)
  })

  it('would notice a store that acknowledges before it writes', async () => {
    const { lost, ids } = await killAfter('broken', newPath(), 25)
    expect(ids.length).toBeGreaterThanOrEqual(25)
    expect(lost.length).toBeGreaterThan(0)
  })
})

/** Kills the writer after `count` acknowledged entries; returns those that are not in the file. */
async function killAfter(how: string, path: string, count: number) {
  const child = start(how, path)
  await child.lines(count)
  const ids = await child.kill()
  const store = sqliteStore({ path })
  expect(await store.check()).toEqual([])
  const stored = new Set((await read(store, thread)).map(({ id }) => id))
  await store.close()
  return { ids, lost: ids.filter(id => !stored.has(id)) }
}
