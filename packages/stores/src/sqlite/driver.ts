import { createRequire } from 'node:module'
import { StoreError } from '../store-error.ts'

/** The `DatabaseSync` API of `node:sqlite`, of `@photostructure/sqlite`, or of your own driver. */
export type SqliteDriver = new (
  path: string,
  options?: { readonly readOnly?: boolean },
) => SqliteDatabase

/** The part of a SQLite driver's database that is used: that of `node:sqlite`. */
export interface SqliteDatabase {
  /** Runs statements that take no values and return no rows. */
  exec(sql: string): void
  /** Parses a statement once, to be run often. */
  prepare(sql: string): SqliteStatement
  /** Closes the file. Statements of it must not be run afterwards. */
  close(): void
}

/** A parsed statement. Its values stand for the `?` in it, in order. */
export interface SqliteStatement {
  /** Runs a statement that writes. */
  run(...values: SqliteValue[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  /** The first row, as an object by column; undefined without a row. */
  get(...values: SqliteValue[]): unknown
  /** All rows at once. */
  all(...values: SqliteValue[]): unknown[]
  /** The rows one by one, for results that may be large. */
  iterate(...values: SqliteValue[]): Iterable<unknown>
}

/** What a column can hold here. */
export type SqliteValue = string | number | Uint8Array | null

/** Loads Node's built-in SQLite (from 22.13 without a flag), else the same API from npm. */
export function loadDriver(): SqliteDriver {
  const builtin = quietly(() => process.getBuiltinModule?.('node:sqlite')) as
    | { DatabaseSync: SqliteDriver }
    | undefined
  return builtin?.DatabaseSync ?? loadPackage()
}

/** An optional dependency: npm goes on without it where it cannot be installed, or is told to leave such ones out. */
function loadPackage(): SqliteDriver {
  try {
    return createRequire(import.meta.url)('@photostructure/sqlite').DatabaseSync
  } catch (cause) {
    const advice = 'use Node 22.13 or later, or "npm install @photostructure/sqlite"'
    const problem = `Node ${process.versions.node} has no SQLite of its own: ${advice}.`
    throw new StoreError('store_unavailable', problem, { cause })
  }
}

/** Silences Node's warning, on loading, that SQLite is experimental: it would stand in the output of every program. */
function quietly<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = ((...warning: Parameters<typeof emitWarning>) => {
    if (!String(warning[0]).startsWith('SQLite is an experimental'))
      emitWarning.apply(process, warning)
  }) as typeof emitWarning
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}
