import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { exchange } from '../testing/store-cases-help.ts'
import { loadDriver } from './driver.ts'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-sides-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('finds any number of marks by one statement, the newest places of each first', async () => {
  let reads = 0
  class Counting extends loadDriver() {
    override prepare(sql: string) {
      const statement = super.prepare(sql)
      if (!(sql.startsWith('SELECT') && sql.includes('marks'))) return statement
      const all = (...values: Parameters<typeof statement.all>) => {
        reads += 1
        return statement.all(...values)
      }
      return { all, run: statement.run, get: statement.get, iterate: statement.iterate }
    }
  }
  const store = sqliteStore({ path: join(folder, 'log.db'), driver: Counting as never })
  const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'assistant', branch: 'main' }
  const name = (n: number) => `mark "${n}" 東京\\`
  for (const tenant of ['acme', 'other']) {
    await exchange(store, { ...thread, tenant }, 'a', 'b', 'c')
    const marks = Array.from({ length: 300 }, (_, n) => ({
      mark: name(n % 100),
      at: 1 + Math.floor(n / 100),
    }))
    await store.saveMarks({ ...thread, tenant }, marks)
  }
  const wanted = ['missing', ...Array.from({ length: 100 }, (_, n) => name(99 - n)), name(5)]
  const found = await store.findMarks('acme', wanted, { limit: 2 })
  expect(found.map(({ mark, at }) => [mark, at])).toEqual(
    Array.from({ length: 200 }, (_, n) => [name(99 - Math.floor(n / 2)), 3 - (n % 2)]),
  )
  expect(found.every(place => JSON.stringify(place.thread) === JSON.stringify(thread))).toBe(true)
  expect(await store.findMarks('acme', [])).toEqual([])
  expect(reads).toBe(2)
  await store.close()
})
