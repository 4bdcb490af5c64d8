import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { entry, exchange, findAll, open, read, texts } from '../testing/store-cases-help.ts'
import { openConnection } from './connection.ts'
import { loadDriver, type SqliteDatabase } from './driver.ts'
import { migrate, refuseOutdated } from './migrate.ts'
import { migrations } from './schema.ts'
import { toStoreError } from './sqlite-error.ts'
import { backupSqlite, type SqliteStoreOptions, sqliteStore } from './sqlite-store.ts'

const folder = mkdtempSync(join(tmpdir(), 'throughline-file-'))
afterAll(() => rmSync(folder, { recursive: true }))
let files = 0
const newPath = () => join(folder, `${++files}.db`)
const code = (code: string) => expect.objectContaining({ code })
const DatabaseSync = loadDriver()
const thread = { tenant: 'acme', conversation: 'lemonade', actor: 'Dr. Smith', branch: 'main' }

/** A store and its own connection, to damage rows as a disk can. */
function storeWithDatabase(
  options: Partial<SqliteStoreOptions> = {},
  rewrite = (sql: string) => sql,
) {
  let database: SqliteDatabase | undefined
  class Spy extends DatabaseSync {
    constructor(path: string, options: { readOnly?: boolean } = {}) {
      super(path, options)
      if (!path.endsWith('-lock')) database = this
    }
    override exec(sql: string) {
      super.exec(rewrite(sql))
    }
  }
  const store = sqliteStore({ path: newPath(), driver: Spy, ...options })
  return { store, database: database! }
}

describe('the file', () => {
  it('refuses by itself to change, replace or remove an entry', async () => {
    const { store, database } = storeWithDatabase()
    await exchange(store, thread, 'a', 'b')
    const changes = [
      "UPDATE entries SET payload = 'x'",
      'UPDATE entries SET place = place + 10',
      'DELETE FROM entries',
      "INSERT OR REPLACE INTO entries (place, id, turn, role, time, tokens, payload) VALUES (16777217, 'x', 1, 'user', 1, '{}', '')",
      'INSERT OR REPLACE INTO entries (place, id, turn, role, time, tokens, payload) SELECT place + 9, id, 1, role, 1, tokens, payload FROM entries',
    ]
    for (const sql of ['', 'PRAGMA recursive_triggers = OFF'])
      for (const change of changes) {
        database.exec(sql)
        expect(() => database.exec(change), change).toThrow(/never|only with/)
      }
    expect(await texts(store, thread)).toEqual(['a', 'b'])
    await store.close()
  })

  it('is synchronous=NORMAL, and refuses to write where a driver lowers it', async () => {
    const good = storeWithDatabase()
    await exchange(good.store, thread, 'a')
    expect(good.database.prepare('PRAGMA synchronous').get()).toEqual({ synchronous: 1 })
    await good.store.close()
    const path = newPath()
    const bad = storeWithDatabase({ path }, sql =>
      sql.replace('synchronous = NORMAL', 'synchronous = OFF'),
    )
    await expect(open(bad.store, thread)).rejects.toThrow(code('store_not_durable'))
    await expect(open(bad.store, thread)).rejects.toThrow(code('store_not_durable'))
    await bad.store.close()
    const after = sqliteStore({ path })
    expect(await after.head(thread)).toBeUndefined()
    await after.close()
  })

  it('goes on reading when the disk is full, and writes again when it is not', async () => {
    const { store, database } = storeWithDatabase()
    const { lease } = await open(store, thread)
    let head = 1
    const append = async () => {
      const entries = [entry(`pelican ${head} ${crypto.randomUUID().repeat(100)}`)]
      head = (await store.append(thread, { lease, expectedHead: head, entries })).head
    }
    const { page_count: pages } = database.prepare('PRAGMA page_count').get() as {
      page_count: number
    }
    database.exec(`PRAGMA max_page_count = ${pages + 12}`)
    const fill = async () => {
      while (head < 10_000) await append()
    }
    await expect(fill()).rejects.toThrow(code('store_full'))
    expect(head).toBeGreaterThan(1)
    expect((await read(store, thread)).length).toBe(head)
    expect((await findAll(store, 'acme', 'pelican')).length).toBeGreaterThan(0)
    await expect(append()).rejects.toThrow(code('store_full'))
    database.exec('PRAGMA max_page_count = 1000000')
    await append()
    expect((await read(store, thread)).length).toBe(head)
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('has one writer in a process too, by whatever name, and as many readers as you like', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    await exchange(store, thread, 'a')
    symlinkSync(path, `${path}.link`)
    expect(() => sqliteStore({ path })).toThrow(code('store_locked'))
    expect(() => sqliteStore({ path: `${path}.link` })).toThrow(code('store_locked'))
    const reader = sqliteStore({ path, readOnly: true })
    await exchange(store, thread, 'b')
    expect(await texts(reader, thread)).toEqual(['a', 'b'])
    await expect(open(reader, thread)).rejects.toThrow(code('store_read_only'))
    await expect(reader.deleteConversation('acme', 'lemonade')).rejects.toThrow(
      code('store_read_only'),
    )
    await reader.close()
    await store.close()
    await store.close()
    await expect(store.head(thread)).rejects.toThrow(code('store_closed'))
    const next = sqliteStore({ path })
    expect(await texts(next, thread)).toEqual(['a', 'b'])
    await next.close()
  })

  it('leaves no word of a deleted conversation behind', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    for (let n = 0; n < 300; n++)
      await store.seed(thread, { expectedHead: n, entries: [entry(`xylophone${n} ${n}`)] })
    await store.describeConversation('acme', 'lemonade', {
      title: 'xylophones',
      metadata: 'xylophones',
    })
    await exchange(store, { ...thread, conversation: 'other' }, 'kept marimba')
    await store.deleteConversation('acme', 'lemonade')
    await store.close()
    const bytes = ['', '-wal']
      .map(end => readFileSync(path + end, { flag: 'a+' }).toString('latin1'))
      .join('')
    expect(bytes).toContain('marimba')
    expect(bytes).not.toContain('ylophone')
  })
})

describe('the word index', () => {
  it('finds what is in it and what still waits for it, and forgets both', async () => {
    const path = newPath()
    const store = sqliteStore({ path })
    const other = { ...thread, conversation: 'other' }
    for (let n = 0; n < 300; n++) {
      const big = n === 150 ? ' x'.repeat(20_000) : ''
      await store.seed(thread, { expectedHead: n, entries: [entry(`pelican number${n}${big}`)] })
      if (n % 3 === 0)
        await store.seed(other, { expectedHead: n / 3, entries: [entry(`zebra number${n}`)] })
    }
    const reader = sqliteStore({ path, readOnly: true })
    const count = async (query: string) => {
      const found = await findAll(store, 'acme', query, { limit: 1_000 })
      expect(await findAll(reader, 'acme', query, { limit: 1_000 })).toEqual(found)
      return found.length
    }
    expect([await count('pelican'), await count('zebra')]).toEqual([300, 100])
    for (let n = 0; n < 300; n++) expect(await count(`number${n}`)).toBe(n % 3 === 0 ? 2 : 1)
    await store.deleteConversation('acme', 'lemonade')
    expect([await count('pelican'), await count('zebra')]).toEqual([0, 100])
    expect(await store.check()).toEqual([])
    await reader.close()
    await store.close()
  })
})

it('indexes the same words, whatever the writing', async () => {
  const { store, database } = storeWithDatabase()
  const long = 'x'.repeat(65)
  const seeds = [
    'Plain_text, with-signs; and 42 numbers!',
    `a run of letters ${long} that nobody looks for`,
    `${'y'.repeat(64)} is short enough`,
    'Café au lait, déjà vu',
    '東京タワー と pelican',
  ]
  const filler = Array.from({ length: 260 }, (_, n) => entry(`filler ${n}`))
  await store.seed(thread, {
    expectedHead: 0,
    entries: [...seeds.map(text => entry(text)), ...filler],
  })
  expect(database.prepare('SELECT count(*) AS n FROM waiting').get()).toEqual({ n: 1 })
  const find = async (query: string) => (await findAll(store, 'acme', query)).map(({ seq }) => seq)
  const expected = {
    ...{ plain: [1], text: [1], signs: [1], '42 NUMBERS': [1], Plain_text: [1] },
    ...{ 'letters nobody': [2], [long]: [], ['y'.repeat(64)]: [3] },
    ...{ cafe: [4], 'DÉJÀ vu': [4], 東京: [5], タワ: [5], pelican: [5] },
  }
  for (const [query, seqs] of Object.entries(expected))
    expect([query, await find(query)]).toEqual([query, seqs])
  await store.deleteConversation('acme', 'lemonade')
  database.exec("CREATE VIRTUAL TABLE temp.vocabulary USING fts5vocab('main', 'words', 'row')")
  expect(database.prepare('SELECT term FROM vocabulary').all()).toEqual([])
  expect(await store.check()).toEqual([])
  await store.close()
})

/** A new file with the content that the first version wrote. */
function openGolden(path: string): SqliteDatabase {
  const golden = new DatabaseSync(path)
  golden.exec(readFileSync(new URL('./golden/version-1.sql', import.meta.url), 'utf8'))
  return golden
}

describe('a file that was there before', () => {
  it('of the first version opens, with all that it has', async () => {
    const path = newPath()
    openGolden(path).close()
    const store = sqliteStore({ path, now: () => 5_000 })
    expect(await store.migrate()).toEqual([migrations[0]!.name])
    expect(await store.migrate()).toEqual([])
    const reader = sqliteStore({ path, readOnly: true })
    expect((await reader.head(thread))?.head).toBe(3)
    await reader.close()
    expect(await texts(store, thread)).toEqual(['the pelican', 'a bird', 'and now?'])
    const edit = { ...thread, branch: 'edit' }
    expect(await texts(store, edit)).toEqual(['the pelican', 'a bird', 'another zebra'])
    expect((await store.head(thread))?.open?.expiresInMs).toBe(0)
    for (const [word, seq] of Object.entries({ pelican: 1, bird: 2, now: 3, zebra: 3 }))
      expect((await findAll(store, 'acme', word)).map(place => place.seq)).toEqual([seq])
    expect(await store.calls(thread)).toMatchObject([
      { id: 'call', plan: '{}', status: 'failed', error: 'overloaded' },
    ])
    expect(await store.conversations('acme')).toMatchObject([
      { title: 'Birds', metadata: { a: 1 }, person: 'ada' },
    ])
    await expect(exchange(store, { ...thread, conversation: 'gone' }, 'x')).rejects.toThrow(
      code('conversation_deleted'),
    )
    await exchange(store, thread, 'x', 'y')
    expect(await store.check()).toEqual([])
    await store.deleteConversation('acme', 'lemonade')
    expect(await findAll(store, 'acme', 'pelican')).toEqual([])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('of an older version is brought forward once, and read only afterwards', async () => {
    const path = newPath()
    openGolden(path).close()
    const sql = "ALTER TABLE entries ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'"
    const latest = migrations.at(-1)!.number
    const versions = [...migrations, { number: latest + 1, name: 'moods', sql }]
    const steps = versions.map(({ name }) => name)
    const reader = openConnection({ path, readOnly: true })
    expect(() => refuseOutdated(reader, versions)).toThrow(code('store_schema'))
    const writer = openConnection({ path })
    expect(migrate(writer, { search: true, dryRun: true }, versions)).toEqual(steps)
    expect(migrate(writer, { search: true }, versions)).toEqual(steps)
    expect(migrate(writer, { search: true }, versions)).toEqual([])
    expect(() => refuseOutdated(reader, versions)).not.toThrow()
    expect(reader.all('SELECT DISTINCT mood FROM entries')).toEqual([{ mood: 'calm' }])
    for (const connection of [reader, writer]) await connection.close()
    const old = sqliteStore({ path })
    await expect(old.head(thread)).rejects.toThrow(
      `has schema ${latest + 1}, this program knows ${latest}`,
    )
    await old.close()
  })

  it('has the schema that a new file of its version has', () => {
    const [golden, fresh] = [openGolden(newPath()), openConnection({ path: newPath() })]
    migrate(fresh, { search: true }, migrations.slice(0, 1))
    const sql = 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name'
    const plain = (rows: unknown[]) => JSON.parse(JSON.stringify(rows).replace(/(\\n|\s)+/g, ' '))
    expect(plain(golden.prepare(sql).all())).toEqual(plain(fresh.all(sql)))
    for (const one of [golden, fresh]) one.close()
  })

  it('of an early number is refused in words where its tables differ', async () => {
    const changes = [
      'ALTER TABLE conversations DROP COLUMN used_at',
      'DROP TRIGGER entries_never_go',
      'CREATE INDEX more ON turns (epoch)',
    ]
    for (const change of changes) {
      const path = newPath()
      const golden = openGolden(path)
      golden.exec(change)
      golden.close()
      for (const readOnly of [false, true]) {
        const store = sqliteStore({ path, readOnly })
        for (const call of [
          () => store.migrate({ dryRun: true }),
          () => store.migrate(),
          () => store.head(thread),
        ])
          await expect(call()).rejects.toThrow(
            /has schema 1 of an earlier build.*throughline log export/,
          )
        await store.close()
      }
    }
  })

  it('is refused when it is newer, foreign or no database', async () => {
    const files = {
      newer: 'PRAGMA user_version = 99; CREATE TABLE a (b)',
      foreign: 'CREATE TABLE a (b)',
    }
    for (const sql of Object.values(files)) {
      const path = newPath()
      const other = new DatabaseSync(path)
      other.exec(sql)
      other.close()
      const store = sqliteStore({ path })
      await expect(store.migrate()).rejects.toThrow(code('store_schema'))
      await expect(open(store, thread)).rejects.toThrow(code('store_schema'))
      await store.close()
    }
    const path = newPath()
    writeFileSync(path, 'this is no database '.repeat(100))
    expect(() => sqliteStore({ path })).toThrow(code('store_corrupt'))
    expect(() => sqliteStore({ path: join(folder, 'missing', 'x.db') })).toThrow(code('store_io'))
    expect(() => sqliteStore({ path: join(folder, 'missing.db'), readOnly: true })).toThrow(
      code('store_io'),
    )
    expect(() => sqliteStore({ path: ':memory:' })).toThrow(code('invalid_option'))
  })

  it('gets its word index when search is switched on, and loses it when it is switched off', async () => {
    const path = newPath()
    for (const search of [false, true, false, true]) {
      const store = sqliteStore({ path, search })
      await exchange(store, thread, 'the pelican')
      expect((await findAll(store, 'acme', 'pelican', { limit: 99 })).length).toBe(
        (await read(store, thread)).length,
      )
      expect(await store.check()).toEqual([])
      await store.close()
    }
  })

  it('is found out when somebody has changed it by hand', async () => {
    const { store, database } = storeWithDatabase()
    await exchange(store, thread, 'a', 'b', 'c', 'd')
    database.exec('DROP TRIGGER entries_never_go; DELETE FROM entries WHERE seq = 2')
    expect((await store.check()).join()).toContain('should have entries 1 to 4, but has 3')
    await expect(texts(store, thread)).rejects.toThrow(code('corrupt_entry'))
    database.exec(
      "DROP TRIGGER entries_never_change; UPDATE entries SET tokens = '{' WHERE seq = 1",
    )
    expect((await store.check()).join()).toContain('no JSON')
    await expect(texts(store, thread, { to: 1 })).rejects.toThrow(code('corrupt_entry'))
    await store.close()
  })
})

it('takes every error of SQLite for one of ours, and no other', () => {
  const codes = {
    13: 'store_full',
    778: 'store_io',
    11: 'store_corrupt',
    8: 'store_read_only',
    5: 'store_busy',
    1: 'store_failed',
  }
  for (const [errcode, expected] of Object.entries(codes))
    expect(toStoreError(Object.assign(new Error('x'), { errcode: Number(errcode) }), 'p')).toEqual(
      code(expected),
    )
  const bug = new TypeError('bug')
  expect(toStoreError(bug, 'p')).toBe(bug)
})

it('says which option is missing', async () => {
  const missing = [undefined, {}, { path: undefined }, { path: 5 }, { path: '' }] as never[]
  for (const options of missing) expect(() => sqliteStore(options)).toThrow(/^Option "path": /)
  const path = newPath()
  await sqliteStore({ path }).close()
  await expect(backupSqlite({ path } as never)).rejects.toThrow(
    'Option "to": expected a new name, got undefined',
  )
  await expect(backupSqlite({ to: newPath() } as never)).rejects.toThrow(
    'Option "path": expected the path',
  )
})

it('takes a limit for entries', async () => {
  const store = sqliteStore({ path: newPath(), maxEntryBytes: 10 })
  const seed = { expectedHead: 0, entries: [entry('too long')] }
  await expect(store.seed(thread, seed)).rejects.toMatchObject({ code: 'too_large', limit: 10 })
  await store.close()
})
