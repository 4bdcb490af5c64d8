import { readFileSync } from 'node:fs'
import { describePostgres } from '@throughline/test-tools/postgres'
import { expect, it } from 'vitest'
import {
  entry,
  exchange,
  findAll,
  long,
  newThread,
  open,
  read,
  texts,
} from '../testing/store-cases-help.ts'
import { openDatabase } from './database.ts'
import { migrate, migrations } from './migrate.ts'
import { postgresStore } from './postgres-store.ts'

const main = { tenant: 'acmé', conversation: 'lémonade', actor: 'assistant', branch: 'main' }
const edit = { ...main, branch: 'edit' }
/** A future migration. */
const latest = migrations.at(-1)!.number
const next = {
  number: latest + 1,
  name: 'moods',
  sql: (schema: string) => [
    `alter table ${schema}.entries add column mood text not null default 'calm'`,
  ],
}

const golden = (file: string) => readFileSync(new URL(`./golden/${file}`, import.meta.url), 'utf8')
const schema4 = (schema: string) => golden('schema-4.sql').replaceAll('schema_4', schema)

describePostgres('PostgreSQL that was there before', server => {
  it('reads all that the first version has left, and goes on with it', async () => {
    await server.client.query(schema4('golden'))
    await server.client.query(golden('version-1.sql'))
    const store = postgresStore({ url: server.url, schema: 'golden' })
    expect(await store.migrate()).toEqual(migrations.slice(1).map(({ name }) => name))
    const { rows } = await server.client.query(`
      select proname as name from pg_proc where pronamespace = 'golden'::regnamespace
      union select trigger_name from information_schema.triggers where trigger_schema = 'golden'`)
    expect(rows).toEqual([])
    expect(await store.check()).toEqual([])

    expect(await texts(store, main)).toEqual(['blue heron', 'a bird', 'seeded', 'and then?'])
    expect(await texts(store, edit)).toEqual(['blue heron', 'a bird', 'edited'])
    expect((await read(store, main))[0]).toEqual({
      ...{ id: 'one', role: 'user', time: 1000, payload: '{"role":"user","content":"blue heron"}' },
      ...{ tokens: { o200k: 2 }, seq: 1, turn: 1 },
    })
    const first = { turn: 1, status: 'failed', first: 1, last: 2, error: 'overloaded' }
    const times = { startedAt: 1000, endedAt: 1100 }
    expect(await store.turns(main)).toEqual([
      { ...first, ...times, key: 'k', body: 'hash' },
      { turn: 2, status: 'open', first: 4, last: 4, startedAt: 2000 },
    ])
    expect((await store.turns(edit))[0]).toEqual({ ...first, ...times })
    expect(await store.head(edit)).toMatchObject({
      head: 3,
      turns: 2,
      forkOf: { branch: 'main', at: 2 },
      open: { lease: { owner: 'bob', epoch: 1 }, expiresInMs: 30_000 },
    })
    expect((await store.calls(main)).map(({ id, status, error }) => [id, status, error])).toEqual([
      ['a', 'completed', undefined],
      ['z', 'failed', 'overloaded'],
    ])
    expect(await store.conversations(main.tenant)).toMatchObject([
      { title: 'Birds', metadata: { a: 1 }, person: 'ada' },
    ])
    expect(await store.loadCache(main, 'fold')).toEqual({ at: 2, bytes: new Uint8Array([7]) })
    for (const [word, seq] of Object.entries({ heron: 1, bird: 2, seeded: 3, edited: 3 }))
      expect((await findAll(store, main.tenant, word)).map(place => place.seq)).toEqual([seq])

    const request = { owner: 'ada', leaseMs: long, key: 'k', entries: [entry('x')] }
    expect(await store.begin(main, { ...request, body: 'hash' })).toMatchObject({
      kind: 'replayed',
    })
    const lease = { owner: 'bob', epoch: 1 }
    const entries = [entry('again', { id: 'one' }), entry('more')]
    await store.append(edit, { lease, expectedHead: 3, entries })
    expect(await texts(store, edit)).toEqual(['blue heron', 'a bird', 'edited', 'more'])
    const begun = await open(store, main, {
      closing: { entries: [entry('closed')] },
      entries: [entry('next')],
    })
    expect([begun.turn.turn, begun.lease.epoch]).toEqual([3, 3])
    const gone = { ...main, conversation: 'gone' }
    await expect(exchange(store, gone, 'late')).rejects.toMatchObject({
      code: 'conversation_deleted',
    })
    expect(await store.check()).toEqual([])
    await store.close()
  })

  it('takes the tables of an early number where they are the same, and refuses others in words', async () => {
    const schema = 'Early'
    const steps = async () => {
      const store = postgresStore({ url: server.url, schema })
      return store.migrate().finally(() => store.close())
    }
    const names = migrations.map(({ name }) => name)
    const early = () => server.client.query(`update "${schema}".migrations set version = 1`)
    await server.client.query(schema4(`"${schema}"`))
    await early()
    expect(await steps()).toEqual(names)
    expect(await steps()).toEqual([])
    await server.client.query(`drop schema "${schema}" cascade`)
    await server.client.query(schema4(`"${schema}"`))
    await early()
    await server.client.query(`alter table "${schema}".conversations drop column last_use`)
    await expect(steps()).rejects.toThrow(
      /has schema 1 of an earlier build.*throughline log export/,
    )
    const { rows } = await server.client.query(
      "select from pg_namespace where nspname like '%_twin'",
    )
    expect(rows).toEqual([])
  })

  it('is brought forward once by several instances, while another still writes', async () => {
    const store = postgresStore({ url: server.url, schema: 'busy' })
    const thread = newThread()
    const { lease } = await open(store, thread, { entries: [entry('0')] })
    let head = 1
    let isOver = false
    const writer = (async () => {
      while (!isOver) {
        const append = { lease, expectedHead: head, entries: [entry(`${head}`)] }
        head = (await store.append(thread, append)).head
      }
    })()
    while (head < 20) await new Promise(resolve => setTimeout(resolve, 1))
    const databases = Array.from({ length: 3 }, () => openDatabase({ url: server.url }))
    const versions = [...migrations, next]
    const step = (dryRun: boolean) =>
      Promise.all(databases.map(database => migrate(database, 'busy', { dryRun }, versions)))
    expect(await step(true)).toEqual(databases.map(() => [next.name]))
    expect((await step(false)).flat()).toEqual([next.name])
    expect((await step(true)).flat()).toEqual([])
    isOver = true
    await writer
    expect(await texts(store, thread)).toEqual(Array.from({ length: head }, (_, n) => `${n}`))
    const { rows } = await server.client.query('select distinct mood from busy.entries')
    expect(rows).toEqual([{ mood: 'calm' }])
    const old = postgresStore({ url: server.url, schema: 'busy' })
    await expect(old.head(thread)).rejects.toThrow(
      `has schema ${latest + 1}, this program knows ${latest}`,
    )
    await Promise.all([store, old, ...databases].map(one => one.close()))
  })
})
