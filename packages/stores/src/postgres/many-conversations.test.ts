import { describePostgres, openPool } from '@throughline/test-tools/postgres'
import { expect, it } from 'vitest'
import type { Store } from '../store.ts'
import { exchange, newThread } from '../testing/store-cases-help.ts'
import { postgresStore } from './postgres-store.ts'
import { markKey } from './rows.ts'

/** Conversations of a tenant, each with a branch, a call, a mark that all have, and some words. */
const many = 4_000
const minute = 60_000

describePostgres('A tenant with many conversations', server => {
  it('is read a page at a time, never whole', async () => {
    const migrated = postgresStore({ url: server.url, schema: 'many' })
    await migrated.migrate()
    await migrated.close()
    const add = (sql: string, values: unknown[] = []) =>
      server.client.query(`insert into many.${sql}`, values)
    const numbers = `generate_series(1, ${many}) n`
    const key = `md5(n::text)::uuid`
    await add(`conversations (key, created_at, written_at, tenant, conversation, person)
      select ${key}, 0, n * ${minute}, case n % 4 when 0 then 'other' else 'acme' end, 'talk ' || n, 'p' || n / 40 from ${numbers}`)
    await add(`branches (key, line, head, updated_at, actor, branch)
      select ${key}, 1, 0, n * ${minute} + 1000, 'assistant', 'main' from ${numbers}`)
    await add(`calls (key, line, id, turn, time, model, plan, predicted, status, checksum)
      select ${key}, 1, 'id', 1, n * ${minute}, 'm', '[]', 1, 'completed', 0 from ${numbers}`)
    await add(`marks (key, line, mark, at) select ${key}, 1, $1, 1 from ${numbers}`, [
      markKey('acme', 'hello'),
    ])
    await server.client.query('analyze')

    const pool = openPool(server.url, { max: 1 })
    const client = await pool.connect()
    // A table as small as this one is read whole where that is cheaper.
    for (const plan of ['seqscan', 'hashjoin', 'mergejoin'])
      await client.query(`set enable_${plan} = off`)
    const inside = {
      query: client.query.bind(client),
      on: () => {},
      off: () => {},
      release: () => {},
    }
    const store = postgresStore({
      schema: 'many',
      pool: { connect: async () => inside, end: async () => {} },
    })
    await store.migrate()
    /** How many rows a piece of work has looked at. */
    const rowsOf = async (work: (store: Store) => Promise<unknown>): Promise<number> => {
      await client.query('begin')
      await work(store)
      const { rows } = await client.query(
        `select sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::integer as rows from pg_stat_xact_user_tables
          where schemaname = 'many' and relname <> 'migrations'`,
      )
      await client.query('rollback')
      return rows[0].rows
    }
    const limit = 20
    const middle = { conversation: '', updatedAt: (many / 2) * minute }
    const works: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
      newest: store => store.conversations('acme', { limit }),
      'in the middle': store => store.conversations('acme', { limit, after: middle }),
      'by name': store => store.conversations('acme', { limit, order: 'name', after: middle }),
      'of a person': store => store.conversations('acme', { limit, person: 'p7' }),
      'nobody has used': store =>
        store.conversations('acme', { limit, order: 'name', unusedSince: 5 * minute }),
      tenants: store => store.tenants(),
      'a mark of all': store => store.findMarks('acme', ['hello']),
      'old calls': store => store.deleteCalls('acme', 5 * minute),
    }
    for (const [name, work] of Object.entries(works))
      expect(await rowsOf(work), name).toBeLessThan(many / 8)
    // What is counted is what is read: a list without a page is all of the tenant.
    expect(await rowsOf(store => store.conversations('acme'))).toBeGreaterThan(many / 2)

    const newest = await store.conversations('acme', { limit: 3 })
    expect(newest.map(({ conversation }) => conversation)).toEqual(
      [1, 2, 3].map(n => `talk ${many - n}`),
    )
    client.release()
    await pool.end()
  })

  it('is listed by its last write, also where another server made it', async () => {
    const [one, two] = [1, 2].map(() => postgresStore({ url: server.url, schema: 'listed' }))
    const thread = newThread()
    const names = ['a', 'b', 'c']
    for (const conversation of names) await exchange(one!, { ...thread, conversation }, 'x')
    // Long ago for the index, as after an hour without a write.
    await server.client.query('update listed.conversations set written_at = written_at - 3600000')
    await server.client.query('update listed.branches set updated_at = updated_at - 3600000')
    await exchange(two!, { ...thread, conversation: 'a' }, 'y')
    const list = await one!.conversations(thread.tenant, { limit: 2 })
    expect(list.map(({ conversation }) => conversation)).toEqual(['a', 'c'])
    await Promise.all([one, two].map(store => store!.close()))
  })
})
