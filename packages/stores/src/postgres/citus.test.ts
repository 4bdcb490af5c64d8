import { randomBytes } from 'node:crypto'
import { describePostgres, openPool } from '@throughline/test-tools/postgres'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storeCases } from '../testing/store-cases.ts'
import { exchange, newThread, read, texts } from '../testing/store-cases-help.ts'
import { postgresStore } from './postgres-store.ts'

const url = process.env.THROUGHLINE_CITUS
// No registry has Citus, so continuous integration may be without it too.
if (!url)
  console.warn(
    'Not tested: tables that are spread over machines: set THROUGHLINE_CITUS to the address of a coordinator of Citus, with workers',
  )

describe.skipIf(!url)('tables that are spread by Citus', () => {
  let pool: pg.Pool
  const schemas: string[] = []
  const newSchema = () => {
    const schema = `citus_${randomBytes(6).toString('hex')}`
    schemas.push(schema)
    return schema
  }
  beforeAll(() => {
    pool = openPool(url!)
  })
  afterAll(async () => {
    for (const schema of schemas) await pool.query(`drop schema if exists ${schema} cascade`)
    await pool.end()
  })

  describe('are a store', () => {
    const schema = newSchema()
    for (const { name, run } of storeCases)
      it(name, { timeout: 60_000 }, async () =>
        expect(
          await run(async () => postgresStore({ pool, schema, distribute: 'citus' })),
        ).toBeUndefined(),
      )
  })

  it('take along what was there, and are known as spread by whoever opens them', {
    timeout: 60_000,
  }, async () => {
    const schema = newSchema()
    const before = postgresStore({ pool, schema })
    const thread = newThread()
    await exchange(before, thread, 'a', 'b')
    const spread = postgresStore({ pool, schema, distribute: 'citus' })
    expect(await spread.migrate({ dryRun: true })).toEqual(['spread the tables by conversation'])
    expect(await spread.migrate()).toEqual(['spread the tables by conversation'])
    expect(await spread.migrate()).toEqual([])
    const after = postgresStore({ pool, schema })
    await exchange(after, thread, 'c')
    await after.fork(thread, { at: 2, branch: 'x' })
    expect(await texts(after, thread)).toEqual(['a', 'b', 'c'])
    expect(await read(after, { ...thread, branch: 'x' })).toEqual(
      (await read(spread, thread)).slice(0, 2),
    )
    expect(await after.check()).toEqual([])
    const { rows } = await pool.query(
      `select count(distinct colocation_id)::integer as groups, count(*)::integer as tables from citus_tables
        where table_name::text like $1 || '.%'`,
      [schema],
    )
    expect(rows).toEqual([{ groups: 1, tables: 8 }])
  })
})

describePostgres('PostgreSQL without Citus', server => {
  it('says what is missing for tables to be spread', async () => {
    const store = postgresStore({ url: server.url, schema: 'alone', distribute: 'citus' })
    const refused = {
      code: 'store_schema',
      message: expect.stringContaining('create extension citus'),
    }
    await expect(store.migrate()).rejects.toMatchObject(refused)
    await store.close()
    expect(() => postgresStore({ url: server.url, distribute: 'other' as 'citus' })).toThrow(
      '"distribute"',
    )
  })
})
