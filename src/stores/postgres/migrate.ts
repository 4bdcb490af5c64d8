import { StoreError } from '../store-error.ts'
import type { Database } from './database.ts'
import { version1 } from './version-1/version-1.ts'
import { version2 } from './version-2/version-2.ts'

/** Never edited once released: a change is a new line. The place in the list, from 1, is the version. */
export const migrations: readonly { readonly name: string; readonly sql: (schema: string) => string }[] = [
  { name: '1 the log', sql: version1 },
  { name: '2 short keys', sql: version2 },
]

/** Brings the schema up to date and says what that took; with `dryRun`, what it would take. */
export async function migrate(
  database: Database,
  schema: string,
  dryRun: boolean,
): Promise<readonly string[]> {
  if (dryRun) return missing(await versionOf(sql => database.read(sql, []), schema))
  return database.transaction(async client => {
    // Two instances that start at once: the second waits here, then finds nothing left to do.
    const query = async (text: string, values: unknown[] = []) => (await client.query({ text, values })).rows
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`throughline ${schema}`])
    await assertUtf8(query)
    await query(`create schema if not exists ${schema}`)
    await query(`create table if not exists ${schema}.migrations (
      version integer primary key, name text not null, applied_at timestamptz not null default now())`)
    const version = await versionOf(query, schema)
    const names = missing(version)
    for (const [index, { name, sql }] of migrations.slice(version).entries()) {
      await client.query({ text: sql(schema) })
      const row = [version + index + 1, name]
      await query(`insert into ${schema}.migrations (version, name) values ($1, $2)`, row)
    }
    return names
  })
}

/** In any other encoding most texts could not be stored. */
async function assertUtf8(query: (sql: string) => Promise<readonly object[]>): Promise<void> {
  const [row] = await query('show server_encoding')
  const { server_encoding: encoding } = row as { server_encoding: string }
  if (encoding === 'UTF8') return
  throw new StoreError('store_schema', `The database has the encoding ${encoding}: make one with UTF8.`)
}

function missing(version: number): readonly string[] {
  if (version <= migrations.length) return migrations.slice(version).map(({ name }) => name)
  throw new StoreError(
    'store_schema',
    `The database has schema version ${version}, this program knows ${migrations.length}: update throughline.`,
  )
}

async function versionOf(
  query: (sql: string) => Promise<readonly object[]>,
  schema: string,
): Promise<number> {
  const name = `${schema}.migrations`.replaceAll("'", "''")
  const [found] = await query(`select to_regclass('${name}') is not null as "isThere"`)
  if (!(found as { isThere: boolean }).isThere) return 0
  const [row] = await query(`select coalesce(max(version), 0)::integer as version from ${schema}.migrations`)
  return (row as { version: number }).version
}
