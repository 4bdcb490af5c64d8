import { isLong } from '@throughline/test-tools/is-long'
import { describePostgres, openPool } from '@throughline/test-tools/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeCases } from '../testing/store-cases.ts'
import {
  entry,
  exchange,
  findAll,
  newThread,
  open,
  read,
  sentCall,
  texts,
} from '../testing/store-cases-help.ts'
import { migrations } from './migrate.ts'
import { type PgPool, postgresStore } from './postgres-store.ts'
import { conversationKey } from './rows.ts'

const code = (code: string) => expect.objectContaining({ code })

interface PreparedStatement {
  readonly name: string
  readonly statement: string
}

describePostgres('PostgreSQL', server => {
  const openStore = async () => {
    const store = postgresStore({ url: server.url })
    await store.migrate()
    return store
  }

  describe('is a store', () => {
    // One pool for all cases: to connect takes longer than most of them.
    let pool: pg.Pool
    beforeAll(() => {
      pool = openPool(server.url)
    })
    afterAll(() => pool.end())
    for (const { name, run } of storeCases)
      it(name, async () => expect(await run(async () => postgresStore({ pool }))).toBeUndefined())
  })

  it('lets one of two instances win, and tells the other', async () => {
    const [one, two] = [await openStore(), await openStore()]
    const thread = newThread()
    const begun = await open(one, thread)
    await expect(open(two, thread, { owner: 'bob' })).rejects.toMatchObject({ code: 'turn_open' })
    for (let head = 1; head <= 20; head++) {
      const append = { lease: begun.lease, expectedHead: head }
      const answers = await Promise.allSettled(
        [one, two].map(store => store.append(thread, { ...append, entries: [entry('x')] })),
      )
      const lost = answers.flatMap(answer => (answer.status === 'rejected' ? [answer.reason] : []))
      expect(lost).toMatchObject([{ code: 'conflict', expected: head, actual: head + 1 }])
    }
    expect(await read(two, thread)).toEqual(await read(one, thread))
    await Promise.all([one.close(), two.close()])
  })

  it('holds a turn for no longer than its lease when the clock of the server has gone back a day', async () => {
    const store = await openStore()
    const thread = newThread()
    await open(store, thread, { leaseMs: 300 })
    const key = conversationKey(thread)
    await server.client.query(
      'update throughline.branches set lease_until = lease_until + 86400000 where key = $1',
      [key],
    )
    const refused = await open(store, thread, { owner: 'bob' }).catch(error => error)
    expect(refused).toMatchObject({ code: 'turn_open', retryAfterMs: 300 })
    expect((await store.head(thread))?.open?.expiresInMs).toBeLessThanOrEqual(300)
    await expect.poll(async () => (await store.head(thread))?.open?.expiresInMs).toBe(0)
    expect((await open(store, thread, { owner: 'bob' })).turn.turn).toBe(2)
    await store.close()
  })

  it('notices what has changed in an entry or a call, and check names it', async () => {
    const store = postgresStore({ url: server.url, schema: 'damaged' })
    const changes = [
      `entries set payload = replace(payload, 'heron', 'herom')`,
      'entries set turn = 0',
      `entries set tokens = '{"words":9}'`,
      'entries set time = time + 1',
      `entries set role = 'assistant'`,
      `entries set id = id || 'x'`,
    ]
    await store.migrate()
    for (const change of changes) {
      const thread = newThread()
      await open(store, thread, { entries: [entry('a heron')] })
      const key = conversationKey(thread)
      expect(await store.check()).toEqual([])
      await server.client.query(`update damaged.${change} where key = $1`, [key])
      await expect(texts(store, thread), change).rejects.toThrow(code('corrupt_entry'))
      expect((await store.check()).join()).toContain('/1/1: the entry is not what was stored')
      await store.deleteConversation(thread.tenant, thread.conversation)
    }
    const thread = newThread()
    await exchange(store, thread, 'a heron')
    await store.saveCall(thread, { ...sentCall, id: 'a' })
    await store.saveCache(thread, 'fold', 1, new Uint8Array([1, 2]))
    await server.client.query(`update damaged.calls set plan = '[]'`)
    await server.client.query(`update damaged.caches set bytes = '\\x0103'`)
    await expect(store.calls(thread)).rejects.toThrow(code('store_corrupt'))
    expect(await store.loadCache(thread, 'fold')).toBeUndefined()
    await store.close()
  })

  it('finds an entry that is not in the index of words, and puts it there', async () => {
    const options = { url: server.url, schema: 'unfound' }
    const without = postgresStore({ ...options, search: false })
    const thread = newThread()
    await exchange(without, thread, 'a heron', 'and then')
    expect(await without.check()).toEqual([])
    await without.close()
    const store = postgresStore(options)
    // Found at once, although nobody has indexed it; then a loss that no store causes.
    expect((await findAll(store, thread.tenant, 'heron')).map(({ seq }) => seq)).toEqual([1])
    expect(await store.check()).toEqual([])
    await server.client.query(
      'update unfound.branches set waiting_after = null; delete from unfound.words',
    )
    const problems = [`${thread.tenant}/lemonade/1/1: the entry is not in the index of words`]
    expect(await findAll(store, thread.tenant, 'heron')).toEqual([])
    expect(await store.check()).toEqual(problems)
    expect(await store.check({ rebuild: true })).toEqual(problems)
    expect(await store.check()).toEqual([])
    expect((await findAll(store, thread.tenant, 'heron')).map(({ seq }) => seq)).toEqual([1])
    await store.close()
  })

  it('migrates once when two instances start at once', async () => {
    const options = { url: server.url, schema: 'fresh', migrate: false }
    const stores = Array.from({ length: 4 }, () => postgresStore(options))
    const wanted = await stores[0]!.migrate({ dryRun: true })
    expect(wanted).toEqual(migrations.map(({ name }) => name))
    await expect(stores[0]!.head(newThread())).rejects.toMatchObject({ code: 'store_schema' })
    const done = await Promise.all(stores.map(store => store.migrate()))
    expect(done.flat()).toEqual(wanted)
    expect(await stores[0]!.migrate({ dryRun: true })).toEqual([])
    await server.client.query(
      `insert into fresh.migrations (version, name) values (99, 'from the future')`,
    )
    await expect(stores[0]!.migrate()).rejects.toMatchObject({ code: 'store_schema' })
    await Promise.all(stores.map(store => store.close()))
  })

  it('migrates by itself on the first use, of several instances too', async () => {
    const options = { url: server.url, schema: 'first_use' }
    const stores = Array.from({ length: 4 }, () => postgresStore(options))
    const threads = stores.map(() => newThread())
    await Promise.all(stores.map((store, n) => open(store, threads[n]!)))
    for (const [n, store] of stores.entries()) expect((await store.head(threads[n]!))?.head).toBe(1)
    expect(await stores[0]!.migrate()).toEqual([])
    await Promise.all(stores.map(store => store.close()))
  })

  it('needs no session: every statement may run on another connection', async () => {
    const pool = openPool(server.url, { max: 4, maxUses: 1 })
    const store = postgresStore({ pool })
    for (const { run } of storeCases.slice(0, isLong ? 8 : 2))
      await run(async () => ({ ...store, close: async () => {} }))
    await store.close()
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
    await pool.end()
  })

  it('does without prepared statements behind a pooler that loses them', async () => {
    const pool = openPool(server.url, { max: 1 })
    let isLosing = false
    const losing: PgPool = {
      async connect() {
        const lent = await pool.connect()
        if (isLosing) await lent.query('deallocate all')
        return lent
      },
      end: () => pool.end(),
    }
    const store = postgresStore({ pool: losing })
    await store.migrate()
    const thread = newThread()
    const { lease } = await open(store, thread)
    const append = (head: number) =>
      store.append(thread, { lease, expectedHead: head, entries: [entry('x')] })
    await append(1)
    const prepared = async () =>
      (await pool.query('select name, statement from pg_prepared_statements'))
        .rows as PreparedStatement[]
    const names = await prepared()
    expect(names.length).toBeGreaterThan(0)
    isLosing = true
    await append(2)
    await append(3)
    expect(await prepared()).toEqual([])
    expect((await store.head(thread))?.head).toBe(4)

    // A connection on which another client has prepared the statements.
    const used = openPool(server.url, { max: 1 })
    const { name, statement } = names.find(({ statement }) => statement.includes('insert into'))!
    await used.query(`prepare "${name}" as ${statement}`)
    const other = postgresStore({ pool: used })
    await other.append(thread, { lease, expectedHead: 4, entries: [entry('x')] })
    expect((await other.head(thread))?.head).toBe(5)
    await used.end()
    await pool.end()
  })

  it('knows a conversation by its names alone, however they read when joined', async () => {
    const names = [
      ['', 'a'],
      ['a', 'bc'],
      ['ab', 'c'],
      ['1', ':a'],
      ['é', 'é😀'],
      ['é'.normalize('NFD'), '漢字'],
    ] as const
    const keys = names.map(([tenant, conversation]) => conversationKey({ tenant, conversation }))
    expect(new Set(keys).size).toBe(names.length)
    const store = await openStore()
    for (const [tenant, conversation] of names)
      await exchange(store, { ...newThread(), tenant, conversation }, 'hello')
    expect(await store.check()).toEqual([])
    const other = { tenant: 'a', conversation: 'renamed' }
    const rename = 'update throughline.conversations set conversation = $1 where key = $2'
    await server.client.query(rename, [other.conversation, keys[1]])
    expect(await store.check()).toContain('a/renamed: its key is not the one of its names')
    await server.client.query(rename, [names[1][1], keys[1]])
    await store.close()
  })

  it('finds without the index of words what was written without it', async () => {
    const store = postgresStore({ url: server.url, search: false })
    await store.migrate()
    const thread = newThread()
    const others = { ...newThread(), conversation: thread.conversation }
    const begun = await open(store, thread, { entries: [entry('the blue heron')] })
    const many = Array.from({ length: 2_100 }, (_, n) => ({
      ...entry(`filler ${n}`),
      time: 1_800_000_000_000,
    }))
    await store.append(thread, { lease: begun.lease, expectedHead: 1, entries: many })
    await open(store, others, { entries: [entry('a heron of others')] })
    const { rows } = await server.client.query(
      'select count(*)::integer as count from throughline.words where key = $1',
      [conversationKey(thread)],
    )
    expect(rows).toEqual([{ count: 0 }])
    const found = async (query: string) =>
      (await findAll(store, thread.tenant, query)).map(({ seq }) => seq)
    expect(await found('HERON blue')).toEqual([1])
    expect(await found('filler 2099')).toEqual([2_101])
    expect(await found('pelican')).toEqual([])
    await store.close()
  })

  it('finds words that are too common for the index', async () => {
    const store = await openStore()
    const thread = newThread()
    await open(store, thread, {
      entries: [entry('the heron'), entry('heron'), entry('what is that?')],
    })
    const found = async (query: string) =>
      (await findAll(store, thread.tenant, query)).map(({ seq }) => seq)
    expect(await found('the heron')).toEqual([1])
    expect(await found('what that')).toEqual([3])
    expect(await found('heron')).toEqual([2, 1])
    await store.close()
  })

  it('looks at a few rows to append one, however long the line is and whatever the planner believes', async () => {
    const store = postgresStore({ url: server.url, schema: 'long' })
    await store.migrate()
    const thread = newThread()
    const pool = openPool(server.url, { max: 1 })
    // So many entries that the index of ids has a level more than the primary key, which the planner would then take.
    const length = 8_000
    await server.client.query('alter table long.entries set (autovacuum_enabled = off)')
    await store.seed(thread, { expectedHead: 0, entries: [entry('first')] })
    await server.client.query(
      `insert into long.entries (key, time, line, seq, turn, role, id, checksum, tokens, payload)
        select $1, 0, 1, n, 0, 'user', gen_random_uuid(), 0, '{}', '' from generate_series(2, ${length}) n`,
      [conversationKey(thread)],
    )
    await server.client.query(`update long.branches set head = ${length}`)
    await store.fork(thread, { at: length, branch: 'fork' })
    // Each write is made in a transaction that is undone, and counts what it has looked at.
    const client = await pool.connect()
    const inside = {
      query: client.query.bind(client),
      on: () => {},
      off: () => {},
      release: () => {},
    }
    const counted = postgresStore({
      schema: 'long',
      pool: { connect: async () => inside, end: async () => {} },
    })
    await counted.migrate()
    for (const branch of ['main', 'fork']) {
      const line = { ...thread, branch }
      for (const isKnown of [true, false]) {
        await client.query('begin')
        const expected = isKnown ? { expectedHead: length } : {}
        const { lease } = await open(counted, line, { ...expected, key: 'key', body: 'body' })
        const append = {
          lease,
          expectedHead: length + 1,
          entries: [entry('more'), entry('and more')],
        }
        await counted.append(line, append)
        if (!isKnown) await counted.append(line, append)
        await counted.end(line, {
          lease,
          expectedHead: length + 3,
          entries: [],
          status: 'completed',
        })
        const { rows } = await client.query(
          `select sum(seq_tup_read + idx_tup_fetch)::integer as looked from pg_stat_xact_user_tables
            where schemaname = 'long' and relname in ('entries', 'turns')`,
        )
        await client.query('rollback')
        expect(rows[0].looked, `${branch}, ${isKnown}`).toBeLessThan(24)
      }
    }
    client.release()
    await pool.end()
    // Rows that no store has written.
    const problems = (await store.check()).filter(
      problem => !problem.includes('not what was stored'),
    )
    expect(problems).toEqual([])
    await store.close()
  })

  it('finds what is broken', async () => {
    const store = postgresStore({ url: server.url, schema: 'broken' })
    await store.migrate()
    const thread = newThread()
    await open(store, thread, { entries: [entry('a'), entry('b'), entry('c')] })
    expect(await store.check()).toEqual([])
    await server.client.query('delete from broken.entries where seq = 2')
    expect(await store.check()).toEqual([expect.stringContaining('without gaps')])
    await expect(read(store, thread)).rejects.toMatchObject({ code: 'corrupt_entry', seq: 2 })
    await store.close()
  })

  it('says what it needs', async () => {
    expect(() => postgresStore({ schema: 'a"; drop' })).toThrow('schema')
    const nobody = postgresStore({ url: 'postgres://postgres@127.0.0.1:1/none' })
    await expect(nobody.head(newThread())).rejects.toMatchObject({ code: 'store_unavailable' })
    await expect(open(nobody, newThread())).rejects.toMatchObject({ code: 'store_unavailable' })
    await nobody.close()
    await nobody.close()
    await expect(nobody.head(newThread())).rejects.toMatchObject({ code: 'store_closed' })
  })
})
