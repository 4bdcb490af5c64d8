import { StoreError } from '../store-error.ts'
import type { Database, Row } from './database.ts'
import { branchFunctions } from './schema/branch-functions.ts'
import { entryFunctions } from './schema/entry-functions.ts'
import { restoreFunctions } from './schema/restore-functions.ts'
import { tables } from './schema/tables.ts'
import { turnFunctions } from './schema/turn-functions.ts'

const schemaParts = [tables, entryFunctions, branchFunctions, turnFunctions, restoreFunctions]

export interface Migration {
  /** The number of the schema after this step. */
  readonly number: number
  readonly name: string
  readonly sql: (schema: string) => string
}

/**
 * Each step takes the schema one number further. A step is never changed: whatever changes tables, functions or checksums is a
 * new step with the next number (schema-number.test.ts). Numbers 1 to 3 stood for several sets of tables.
 */
export const migrations: readonly Migration[] = [
  { number: 4, name: '4 the log', sql: schema => schemaParts.map(part => part(schema)).join('\n') },
]

/** Migrates the schema and returns the steps; with `dryRun` only returns them. */
export async function migrate(database: Database, schema: string, dryRun: boolean, steps = migrations) {
  const names = (missing: readonly Migration[]) => missing.map(({ name }) => name)
  if (dryRun) return names(missing(await numberOf(sql => database.read(sql, []), schema), steps))
  return database.transaction(async client => {
    // The second of two instances that start at once waits here, then finds nothing left to do.
    const query = async (text: string, values?: unknown[]) =>
      (await client.query({ text, ...(values && { values }) })).rows
    await query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`throughline ${schema}`])
    await assertUtf8(query)
    await query(`create schema if not exists ${schema}`)
    await query(`create table if not exists ${schema}.migrations (
      version integer primary key, name text not null, applied_at timestamptz not null default now())`)
    const before = await numberOf(query, schema)
    const due = missing(before, steps)
    for (const { number, name, sql } of due) {
      // A schema of an early number has the first tables already, or is refused.
      if (before > 0 && number === steps[0]!.number) await refuseOthers(query, schema, before, sql)
      else await query(sql(schema))
      await query(`insert into ${schema}.migrations (version, name) values ($1, $2)`, [number, name])
    }
    return names(due)
  })
}

/** Refuses a schema whose tables or functions differ from those that a step makes: it makes them beside, and compares. */
async function refuseOthers(
  query: RunQuery,
  schema: string,
  number: number,
  sql: Migration['sql'],
): Promise<void> {
  const twin = `"${schema.slice(1, -1).slice(0, 40)}_twin"`
  await query(`create schema ${twin}; ${sql(twin)}`)
  const [objects, twins] = [await objectsOf(query, schema), await objectsOf(query, twin)]
  await query(`drop schema ${twin} cascade`)
  if (objects === twins) return
  const problem = `has schema ${number} of an earlier build, whose tables this program cannot read`
  const advice =
    'export its conversations with that build ("throughline log export"), and import them into a new schema'
  throw new StoreError('store_schema', `The database ${problem}: ${advice}.`)
}

/** The columns, indexes, triggers and functions of a schema as one text. */
async function objectsOf(query: RunQuery, schema: string): Promise<string> {
  const [name, plain] = [`'${schema.slice(1, -1)}'`, `'${schema}.'`]
  const [row] = await query(`select string_agg(line, E'\n' order by line) as all from (
    select concat_ws(' ', table_name, ordinal_position, column_name, data_type, collation_name, is_nullable)
      from information_schema.columns where table_schema = ${name} and table_name <> 'migrations'
    union all select replace(replace(indexdef, ${plain}, ''), ${name} || '.', '')
      from pg_indexes where schemaname = ${name} and tablename <> 'migrations'
    union all select concat_ws(' ', event_object_table, trigger_name, action_timing, event_manipulation)
      from information_schema.triggers where trigger_schema = ${name}
    union all select proname || ' ' || replace(prosrc, ${plain}, '')
      from pg_proc where pronamespace = '${schema}'::regnamespace
  ) objects (line)`)
  return String(row!.all)
}

type RunQuery = (sql: string, values?: unknown[]) => Promise<readonly Row[]>

/** Refuses other encodings: most texts could not be stored. */
async function assertUtf8(query: RunQuery): Promise<void> {
  const encoding = (await query('show server_encoding'))[0]!.server_encoding
  if (encoding === 'UTF8') return
  throw new StoreError('store_schema', `The database has the encoding ${encoding}: make one with UTF8.`)
}

function missing(before: number, steps: readonly Migration[]): readonly Migration[] {
  const latest = steps.at(-1)!.number
  if (before <= latest) return steps.filter(({ number }) => number > before)
  const versions = `has schema ${before}, this program knows ${latest}`
  throw new StoreError('store_schema', `The database ${versions}: use the throughline that wrote it.`)
}

async function numberOf(query: RunQuery, schema: string): Promise<number> {
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
