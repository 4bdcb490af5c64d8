import { StoreError } from '../store-error.ts'
import type { Database, Row } from './database.ts'
import { branchFunctions } from './schema/branch-functions.ts'
import { entryFunctions } from './schema/entry-functions.ts'
import { restoreFunctions } from './schema/restore-functions.ts'
import { tables } from './schema/tables.ts'
import { turnFunctions } from './schema/turn-functions.ts'

const schemaParts = [tables, entryFunctions, branchFunctions, turnFunctions, restoreFunctions]

/** The migrations; the version is the place in the list, from 1. A released one is never edited: add a new one. */
export const migrations = [
  { name: '1 the log', sql: (schema: string) => schemaParts.map(part => part(schema)).join('\n') },
]

/** Migrates the schema and returns the steps; with `dryRun` only returns them. */
export async function migrate(database: Database, schema: string, dryRun: boolean, steps = migrations) {
  if (dryRun) return missing(await versionOf(sql => database.read(sql, []), schema), steps)
  return database.transaction(async client => {
    // The second of two instances that start at once waits here, then finds nothing left to do.
    const query = async (text: string, values: unknown[] = []) => (await client.query({ text, values })).rows
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`throughline ${schema}`])
    await assertUtf8(query)
    await query(`create schema if not exists ${schema}`)
    await query(`create table if not exists ${schema}.migrations (
      version integer primary key, name text not null, applied_at timestamptz not null default now())`)
    const version = await versionOf(query, schema)
    const names = missing(version, steps)
    for (const [index, { name, sql }] of steps.slice(version).entries()) {
      await client.query({ text: sql(schema) })
      const row = [version + index + 1, name]
      await query(`insert into ${schema}.migrations (version, name) values ($1, $2)`, row)
    }
    return names
  })
}

type RunQuery = (sql: string) => Promise<readonly Row[]>

/** Refuses other encodings: most texts could not be stored. */
async function assertUtf8(query: RunQuery): Promise<void> {
  const encoding = (await query('show server_encoding'))[0]!.server_encoding
  if (encoding === 'UTF8') return
  throw new StoreError('store_schema', `The database has the encoding ${encoding}: make one with UTF8.`)
}

function missing(version: number, steps: typeof migrations): readonly string[] {
  if (version <= steps.length) return steps.slice(version).map(({ name }) => name)
  const versions = `has schema version ${version}, this program knows ${steps.length}`
  throw new StoreError('store_schema', `The database ${versions}: use the throughline that wrote it.`)
}

async function versionOf(query: RunQuery, schema: string): Promise<number> {
  const name = `${schema}.migrations`.replaceAll("'", "''")
  const [table] = await query(`select to_regclass('${name}') is not null as "isThere"`)
  if (!table!.isThere) return 0
  const [row] = await query(`select coalesce(max(version), 0)::integer as version from ${schema}.migrations`)
  return Number(row!.version)
}

/** Migrates before the first statement. Instances that start at once wait for one another. */
export function migrateFirst(database: Database, schema: string): Database {
  let migrated: Promise<Database> | undefined

  async function prepare(): Promise<Database> {
    // A user who may not change the schema may still use one that is up to date.
    if ((await migrate(database, schema, true)).length > 0) await migrate(database, schema, false)
    return database
  }

  /** After a failure the next statement tries again. */
  function ready(): Promise<Database> {
    migrated ??= prepare().catch(error => {
      migrated = undefined
      throw error
    })
    return migrated
  }

  return {
    ...database,
    read: async (...statement) => (await ready()).read(...statement),
    readPrepared: async (...statement) => (await ready()).readPrepared(...statement),
    write: async (...statement) => (await ready()).write(...statement),
    tryWrite: async (...statement) => (await ready()).tryWrite(...statement),
  }
}
