import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadDriver, sqliteStore } from '@throughline/stores/sqlite'
import { someStores } from '@throughline/test-tools/every-store'
import { standInEmbedder } from '@throughline/test-tools/stand-in-embedder'
import { tell } from '@throughline/test-tools/tale'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createHistory } from '../../src/create-history.ts'

const key = { tenant: 'default', conversation: 'a', actor: 'assistant', branch: 'main' }
const remedy =
  '(model "stand-in"): the next turns ask for them again, thread.embed() for all at once'

describe.each(await someStores())('damaged vectors, %s', (_, create) => {
  /** A thread of 140 entries, whose vectors are two pieces, and a way to change the bytes of one cache. */
  async function open() {
    const store = create()
    await store.migrate()
    const history = createHistory({ store, embed: standInEmbedder() })
    const thread = history.thread('a')
    await tell(thread, 0, 70)
    await thread.embed()
    expect(await history.check()).toEqual([])
    async function change(cache: string, to: (bytes: Uint8Array) => Uint8Array): Promise<void> {
      const { at, bytes } = (await store.loadCache(key, `vectors 1 ${cache} stand-in`))!
      await store.saveCache(key, `vectors 1 ${cache} stand-in`, at, to(bytes))
    }
    const flip = (bytes: Uint8Array) =>
      bytes.map((byte, at) => (at === bytes.length - 20 ? byte ^ 1 : byte))
    return { store, history, change, flip }
  }

  it('are named by check, each piece, and made anew by embed', async () => {
    const { store, history, change, flip } = await open()
    await change('1', flip)
    const second = `a/assistant/main: the vectors of entries 129 to 140 cannot be read ${remedy}`
    expect(await history.check()).toEqual([second])
    await change('0', bytes => bytes.subarray(0, 100))
    const first = `a/assistant/main: the vectors of entries 1 to 128 cannot be read ${remedy}`
    // A rebuild makes anew what the log alone can give.
    expect(await history.check({ rebuild: true })).toEqual([first, second])
    expect(await createHistory({ store, embed: standInEmbedder('other') }).check()).toEqual([])

    const again = createHistory({ store, embed: standInEmbedder() })
    expect(await again.thread('a').embed()).toBe(140)
    expect(await again.check()).toEqual([])
  })

  it('are named by check where their list is damaged', async () => {
    const { store, history, change } = await open()
    await change('versions', bytes => bytes.subarray(1))
    expect(await history.check()).toEqual([
      `a/assistant/main: the list of its vectors cannot be read, so none of them counts ${remedy}`,
    ])
    const again = createHistory({ store, embed: standInEmbedder() })
    expect(await again.thread('a').embed()).toBe(140)
    expect(await again.check()).toEqual([])
  })
})

it.each([
  ['0', 'the vectors of entries 1 to 6 cannot be read'],
  ['versions', 'the list of its vectors cannot be read, so none of them counts'],
])('vectors whose bytes changed in an SQLite file are named: %s', async (cache, problem) => {
  const folder = mkdtempSync(join(tmpdir(), 'throughline-vectors-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const open = () => {
    const store = sqliteStore({ path: join(folder, 'log.db') })
    return { store, history: createHistory({ store, embed: standInEmbedder() }) }
  }
  const before = open()
  await before.store.migrate()
  await tell(before.history.thread('a'), 0, 3)
  await before.history.thread('a').embed()
  await before.history.close()
  const database = new (loadDriver())(join(folder, 'log.db'))
  const where = `key = 'vectors 1 ${cache} stand-in'`
  database.exec(`UPDATE caches SET bytes = CAST(substr(bytes, 2) AS BLOB) WHERE ${where}`)
  database.close()
  const { history } = open()
  expect(await history.check()).toEqual([`a/assistant/main: ${problem} ${remedy}`])
  await history.close()
})
