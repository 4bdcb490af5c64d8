import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startPostgres, type TestPostgres, whyNoPostgres } from '../../../test/postgres.ts'
import { entry, exchange, long, open, read, texts } from '../../testing/store-cases-help.ts'
import type { NewEntry } from '../store.ts'
import { migrations } from './migrate.ts'
import { postgresStore } from './postgres-store.ts'
import { wordHashes } from './word-hashes.ts'

const reason = whyNoPostgres()
if (reason) console.warn(`Not tested: ${reason}`)

const main = { tenant: 'acmé', conversation: 'lémonade', actor: 'assistant', branch: 'main' }
const edit = { ...main, branch: 'edit' }

describe.skipIf(reason)(`PostgreSQL of an older version${reason ? `: ${reason}` : ''}`, () => {
  let server: TestPostgres
  let client: pg.Client
  beforeAll(async () => {
    server = await startPostgres()
    client = new pg.Client(server.url)
    await client.connect()
  })
  afterAll(async () => {
    await client?.end()
    await server?.stop()
  })

  it('keeps all that version 1 holds, and goes on with it', async () => {
    const old = await makeVersion1(client, 'first')
    const written = [
      entry('blue heron'),
      entry('a bird'),
      entry('seeded'),
      entry('and then?'),
      entry('edited'),
    ]
    const [heron, bird, seeded, then, edited] = written as [NewEntry, NewEntry, NewEntry, NewEntry, NewEntry]
    await old.call('begin_turn', main, ['ada', long, 0, 'k', 'hash', '[]', old.json(heron)])
    await old.call('append_entries', main, ['ada', 1, 1, old.json(bird), 'failed', 'overloaded'])
    await old.call('seed_entries', main, [2, old.json(seeded)])
    await old.call('fork_branch', main, [2, 'edit'])
    await old.call('begin_turn', main, ['ada', 1, 3, null, null, '[]', old.json(then)])
    await old.call('begin_turn', edit, ['bob', long, 2, null, null, '[]', old.json(edited)])
    const gone = { ...main, conversation: 'gone' }
    await old.call('seed_entries', gone, [0, old.json(entry('gone'))])
    await client.query('select first.delete_conversation($1, $2)', [gone.tenant, gone.conversation])
    for (const id of ['z', 'a'])
      await client.query(
        `insert into first.calls (time, line, turn, predicted, reported, tenant, conversation, id, model, plan)
          values (5, 1, 1, 10, null, $1, $2, $3, 'llama', '{}')`,
        [main.tenant, main.conversation, id],
      )
    await client.query(
      `insert into first.caches (tenant, conversation, line, key, at, bytes) values ($1, $2, 1, 'fold', 2, '\\x07')`,
      [main.tenant, main.conversation],
    )
    const { rows: turns } = await client.query('select * from first.turns order by line, turn')
    const { rows: conversations } = await client.query(
      'select * from first.conversations order by conversation',
    )

    const waiting = postgresStore({ url: server.url, schema: 'first', migrate: false })
    await expect(waiting.head(main)).rejects.toMatchObject({ code: 'store_schema' })
    await waiting.close()
    const store = postgresStore({ url: server.url, schema: 'first' })
    expect(await store.migrate()).toEqual(migrations.slice(1).map(({ name }) => name))
    expect(await store.check()).toEqual([])

    const entries = [heron, bird, seeded, then].map((one, n) => ({
      ...one,
      seq: n + 1,
      turn: [1, 1, 0, 2][n],
    }))
    expect(await read(store, main)).toEqual(entries)
    expect(await read(store, edit)).toEqual([...entries.slice(0, 2), { ...edited, seq: 3, turn: 2 }])
    const first = { turn: 1, status: 'failed', first: 1, last: 2, error: 'overloaded' }
    const times = { startedAt: turns[0].started_at, endedAt: turns[0].ended_at }
    expect(await store.turns(main)).toEqual([
      { ...first, ...times, key: 'k', body: 'hash' },
      { turn: 2, status: 'open', first: 4, last: 4, startedAt: turns[1].started_at },
    ])
    expect((await store.turns(edit))[0]).toEqual({ ...first, ...times })
    expect(await store.head(edit)).toMatchObject({
      head: 3,
      turns: 2,
      forkOf: { branch: 'main', at: 2 },
      open: { lease: { owner: 'bob', epoch: 1 }, isExpired: false },
    })
    expect((await store.calls(main)).map(({ id, reported }) => [id, reported])).toEqual([
      ['a', undefined],
      ['z', undefined],
    ])
    expect(await store.loadCache(main, 'fold')).toEqual({ at: 2, bytes: new Uint8Array([7]) })
    const [info] = await store.conversations(main.tenant)
    expect(info).toMatchObject({
      conversation: main.conversation,
      createdAt: conversations[1].created_at,
      threads: [
        { branch: 'edit', head: 3 },
        { branch: 'main', head: 4 },
      ],
    })
    expect((await store.search(main.tenant, 'heron')).map(({ seq }) => seq)).toEqual([1])

    const request = { owner: 'ada', leaseMs: long, key: 'k', entries: [entry('x')] }
    expect(await store.begin(main, { ...request, body: 'hash' })).toMatchObject({ kind: 'replayed' })
    await store.append(edit, {
      lease: { owner: 'bob', epoch: 1 },
      expectedHead: 3,
      entries: [heron, entry('more')],
    })
    expect(await texts(store, edit)).toEqual(['blue heron', 'a bird', 'edited', 'more'])
    const next = await open(store, main, { closing: [entry('closed')], entries: [entry('next')] })
    expect([next.turn.turn, next.lease.epoch]).toEqual([3, 3])
    await expect(exchange(store, gone, 'late')).rejects.toMatchObject({ code: 'conversation_deleted' })
    await expect(client.query('delete from first.entries')).rejects.toThrow('append-only')
    const { rows } = await client.query(
      `select relname from pg_class c join pg_namespace n on n.oid = c.relnamespace
        where nspname = 'first' and relname like '%\\_1'`,
    )
    expect(rows).toEqual([])
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('is migrated once by several instances, while another still writes', async () => {
    const old = await makeVersion1(client, 'busy')
    await old.call('begin_turn', main, ['ada', long, 0, null, null, '[]', old.json(entry('0'))])
    let head = 1
    const writer = (async () => {
      for (;;) {
        const answer = await old
          .call('append_entries', main, ['ada', 1, head, old.json(entry(`${head}`)), null, null])
          .catch(() => undefined)
        if (!answer) return
        head = answer.head
      }
    })()
    while (head < 20) await new Promise(resolve => setTimeout(resolve, 1))
    const stores = Array.from({ length: 3 }, () => postgresStore({ url: server.url, schema: 'busy' }))
    const done = await Promise.all(stores.map(store => store.migrate()))
    expect(done.flat()).toEqual(migrations.slice(1).map(({ name }) => name))
    await writer
    const [store] = stores
    expect(await texts(store!, main)).toEqual(Array.from({ length: head }, (_, n) => `${n}`))
    expect(await store!.check()).toEqual([])
    await Promise.all(stores.map(store => store.close()))
  })
})

/** A database as the first release has made it, with the functions that its store has called. */
async function makeVersion1(client: pg.Client, schema: string) {
  const { name, sql } = migrations[0]!
  await client.query(`create schema ${schema}`)
  await client.query(`create table ${schema}.migrations (
    version integer primary key, name text not null, applied_at timestamptz not null default now())`)
  await client.query(sql(`"${schema}"`))
  await client.query(`insert into ${schema}.migrations (version, name) values (1, $1)`, [name])
  return {
    async call(name: string, thread: typeof main, values: readonly unknown[]): Promise<{ head: number }> {
      const { tenant, conversation, actor, branch } = thread
      const all = [tenant, conversation, actor, branch, ...values]
      const places = all.map((_, n) => `$${n + 1}`).join(', ')
      const { rows } = await client.query(`select ${schema}.${name}(${places}) as answer`, all)
      expect(['ok', 'begun']).toContain(rows[0].answer.outcome)
      return rows[0].answer
    },
    json: (one: NewEntry) =>
      JSON.stringify([
        { ...one, tokens: JSON.stringify(one.tokens), words: wordHashes(main.tenant, one.payload) },
      ]),
  }
}
