import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { exchange, findAll, texts } from '../testing/store-cases-help.ts'
import {
  loadDriver,
  type SqliteDatabase,
  type SqliteStatement,
  type SqliteValue,
} from './driver.ts'
import { sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-words-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'assistant', branch: 'main' }
/** More text than may wait for the index: the next entry, and all before it, are indexed. */
const much = 'plain words '.repeat(25_000)
const DatabaseSync = loadDriver()

/** A store whose index refuses a text with this word while `fault.isThere`. */
function storeWithFault(error: () => unknown) {
  const fault = { isThere: true }
  let database: (SqliteDatabase & { enableDefensive?(isOn: boolean): void }) | undefined
  class Faulty extends DatabaseSync {
    constructor(path: string, options: { readOnly?: boolean } = {}) {
      super(path, options)
      if (!path.endsWith('-lock')) database = this
    }
    override prepare(sql: string) {
      const statement = super.prepare(sql)
      if (!sql.startsWith('INSERT INTO words')) return statement
      return {
        run(...values: SqliteValue[]) {
          if (fault.isThere && String(values.at(-1)).includes('unspeakable')) throw error()
          return statement.run(...values)
        },
      } as SqliteStatement
    }
  }
  const path = join(folder, `${files++}.db`)
  const open = (options: { search?: boolean } = {}) =>
    sqliteStore({ path, driver: Faulty, ...options })
  return { open, fault, database: () => database! }
}

const found = async (store: ReturnType<typeof sqliteStore>, word: string) =>
  (await findAll(store, 'acme', word)).map(({ seq }) => seq)

describe('a text that cannot be indexed', () => {
  const faults = {
    'in our code': () => new RangeError('Maximum call stack size exceeded'),
    'in SQLite': () => Object.assign(new Error('string or blob too big'), { errcode: 18 }),
  }
  it.each(Object.entries(faults))('%s does not stop the log; check finds it', async (_, error) => {
    const { open, fault } = storeWithFault(error)
    let store = open()
    await exchange(store, thread, 'an unspeakable pelican', 'a heron')
    await exchange(store, thread, much, 'a swan')
    await store.close()
    store = open()
    await exchange(store, thread, much, 'a goose')
    expect((await texts(store, thread)).filter(text => text !== much)).toEqual([
      'an unspeakable pelican',
      'a heron',
      'a swan',
      'a goose',
    ])
    expect([await found(store, 'pelican'), await found(store, 'heron')]).toEqual([[], [2]])
    const problem = 'entry 1 of branch 1 is not in the word index as it should be'
    expect(await store.check()).toEqual([problem])
    fault.isThere = false
    expect(await store.check({ rebuild: true })).toEqual([problem])
    expect(await store.check()).toEqual([])
    expect(await found(store, 'pelican')).toEqual([1])
    // What waited for the index is in it now: entries that come later wait anew.
    await exchange(store, thread, 'a stork')
    expect(await found(store, 'stork')).toEqual([7])
    await store.close()
  })

  it('can be deleted', async () => {
    const { open } = storeWithFault(() => new RangeError('x'))
    const store = open()
    await exchange(store, { ...thread, conversation: 'other' }, 'a heron', much)
    await exchange(store, thread, 'an unspeakable pelican', much)
    expect(await store.check()).toHaveLength(1)
    expect(await store.deleteConversation('acme', 'lemonade')).toBe(true)
    expect(await store.check()).toEqual([])
    expect([await found(store, 'pelican'), await found(store, 'heron')]).toEqual([[], [1]])
    await store.close()
  })

  it('does not keep a file from getting its index', async () => {
    const { open } = storeWithFault(() => new RangeError('x'))
    const plain = open({ search: false })
    await exchange(plain, thread, 'an unspeakable pelican', 'a heron')
    await plain.close()
    const store = open()
    expect(await found(store, 'heron')).toEqual([2])
    expect(await store.check()).toHaveLength(1)
    await store.close()
  })
})

it.each([
  "UPDATE words_data SET block = x'00' WHERE id = 10",
  'DELETE FROM words_data WHERE id = 10',
  'DELETE FROM words_data',
  'UPDATE words_data SET block = zeroblob(length(block)) WHERE id > 10',
])('a damaged index does not stop the log and can be made anew (%s)', async damage => {
  const { open, fault, database } = storeWithFault(() => new Error('never'))
  fault.isThere = false
  const first = open()
  await exchange(first, thread, 'a heron', much, 'a swan')
  database().enableDefensive?.(false)
  database().exec(damage)
  await first.close()
  const store = open()
  for (const text of ['one', 'two', 'three']) await exchange(store, thread, text, much)
  expect((await texts(store, thread)).filter(text => text !== much)).toEqual([
    'a heron',
    'a swan',
    'one',
    'two',
    'three',
  ])
  expect((await store.check()).length).toBeGreaterThan(0)
  await store.check({ rebuild: true })
  expect(await store.check()).toEqual([])
  expect([await found(store, 'heron'), await found(store, 'two')]).toEqual([[1], [6]])
  await store.deleteConversation('acme', 'lemonade')
  expect(await store.check()).toEqual([])
  await store.close()
})
