import { StoreError } from '../store-error.ts'
import type { Database, RunQuery } from './database.ts'
import { listedByTime } from './schema/listed-by-time.ts'
import { plainStatements } from './schema/plain-statements.ts'
import { tableNames, tables } from './schema/tables.ts'

export interface Migration {
  /** The number of the schema after this step. */
  readonly number: number
  readonly name: string
  readonly sql: (schema: string) => readonly string[]
}

/**
 * Each step takes the schema one number further. A step is never changed: whatever changes tables or checksums is a new step with
 * the next number (schema-number.test.ts). Numbers 1 to 3 stood for several sets of tables; 4 had functions and triggers beside
 * the tables, which 5 drops.
 */
export const migrations: readonly Migration[] = [
  { number: 4, name: '4 the log', sql: tables },
  { number: 5, name: '5 plain statements', sql: plainStatements },
  { number: 6, name: '6 lists by time', sql: listedByTime },
]

export interface MigrateOptions {
  readonly dryRun?: boolean
  readonly distribute?: 'citus' | undefined
}

/** Migrates the schema and returns the steps; with `dryRun` only returns them. */
export async function migrate(
  database: Database,
  schema: string,
  { dryRun = false, distribute }: MigrateOptions = {},
  steps = migrations,
): Promise<readonly string[]> {
  const names = (missing: readonly Migration[], mustSpread: boolean) => [
    ...missing.map(({ name }) => name),
    ...(mustSpread ? [spreading] : []),
  ]
  const mustBeSpread = async (query: RunQuery) =>
    distribute !== undefined && !(await isSpread(query, schema))
  if (dryRun)
    return names(
      missing(await numberOf(database.read, schema), steps),
      await mustBeSpread(database.read),
    )
  return database.transaction(async query => {
    // The second of two instances that start at once waits here, then finds nothing left to do.
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
      else for (const statement of sql(schema)) await query(statement)
      await query(`insert into ${schema}.migrations (version, name) values ($1, $2)`, [
        number,
        name,
      ])
    }
    const mustSpread = await mustBeSpread(query)
    if (mustSpread) {
      await needCitus(query)
      for (const table of tableNames) await query(spreadSql(schema, table))
    }
    return names(due, mustSpread)
  }, false)
}

const spreading = 'spread the tables by conversation'

/** All rows of a conversation lie on one machine. */
const spreadSql = (schema: string, table: string) => {
  const beside = table === 'conversations' ? 'none' : `${schema}.conversations`
  return `select create_distributed_table('${schema}.${table}', 'key', colocate_with => '${beside}')`
}

async function needCitus(query: RunQuery): Promise<void> {
  const [extension] = await query("select from pg_extension where extname = 'citus'")
  if (extension) return
  throw new StoreError(
    'store_schema',
    'The database has no Citus: run "create extension citus" in it first.',
  )
}

/** Whether the tables are spread over machines. Without Citus the catalog of spread tables is not there. */
export async function isSpread(query: RunQuery, schema: string): Promise<boolean> {
  const [catalog] = await query(
    "select to_regclass('pg_catalog.pg_dist_partition') is not null as there",
  )
  if (!catalog!.there) return false
  const name = `${schema}.conversations`.replaceAll("'", "''")
  const sql = `select from pg_dist_partition where logicalrelid = to_regclass('${name}')`
  return (await query(sql)).length > 0
}

/** Refuses a schema whose tables differ from those that a step makes: it makes them beside, and compares. */
async function refuseOthers(
  query: RunQuery,
  schema: string,
  number: number,
  sql: Migration['sql'],
): Promise<void> {
  const twin = `"${schema.slice(1, -1).slice(0, 40)}_twin"`
  await query(`create schema ${twin}`)
  for (const statement of sql(twin)) await query(statement)
  const [objects, twins] = [await objectsOf(query, schema), await objectsOf(query, twin)]
  await query(`drop schema ${twin} cascade`)
  if (objects === twins) return
  const problem = `has schema ${number} of an earlier build, whose tables this program cannot read`
  const advice =
    'export its conversations with that build ("throughline log export"), and import them into a new schema'
  throw new StoreError('store_schema', `The database ${problem}: ${advice}.`)
}

/** The columns and indexes of a schema as one text. */
async function objectsOf(query: RunQuery, schema: string): Promise<string> {
  const [name, plain] = [`'${schema.slice(1, -1)}'`, `'${schema}.'`]
  const [row] = await query(`select string_agg(line, E'\n' order by line) as all from (
    select concat_ws(' ', table_name, ordinal_position, column_name, data_type, collation_name, is_nullable)
      from information_schema.columns where table_schema = ${name} and table_name <> 'migrations'
    union all select replace(replace(indexdef, ${plain}, ''), ${name} || '.', '')
      from pg_indexes where schemaname = ${name} and tablename <> 'migrations'
  ) objects (line)`)
  return String(row!.all)
}

/** Refuses other encodings: most texts could not be stored. */
async function assertUtf8(query: RunQuery): Promise<void> {
  const encoding = (await query('show server_encoding'))[0]!.server_encoding
  if (encoding === 'UTF8') return
  throw new StoreError(
    'store_schema',
    `The database has the encoding ${encoding}: make one with UTF8.`,
  )
}

function missing(before: number, steps: readonly Migration[]): readonly Migration[] {
  const latest = steps.at(-1)!.number
  if (before <= latest) return steps.filter(({ number }) => number > before)
  const versions = `has schema ${before}, this program knows ${latest}`
  throw new StoreError(
    'store_schema',
    `The database ${versions}: use the throughline that wrote it.`,
  )
}

async function numberOf(query: RunQuery, schema: string): Promise<number> {
  const name = `${schema}.migrations`.replaceAll("'", "''")
  const [table] = await query(`select to_regclass('${name}') is not null as "isThere"`)
  if (!table!.isThere) return 0
  const [row] = await query(
    `select coalesce(max(version), 0)::integer as version from ${schema}.migrations`,
  )
  return Number(row!.version)
}

/** Migrates where something is missing. Instances that start at once wait for one another. */
export async function migrateIfNeeded(
  database: Database,
  schema: string,
  options: MigrateOptions,
): Promise<void> {
  // A user who may not change the schema may still use one that is up to date.
  if ((await migrate(database, schema, { ...options, dryRun: true })).length > 0)
    await migrate(database, schema, options)
}
