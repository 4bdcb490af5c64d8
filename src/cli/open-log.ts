import { existsSync } from 'node:fs'
import type { Command } from 'commander'
import { createHistory } from '../history/create-history.ts'
import type { History, HistoryOptions } from '../history/history.ts'
import { listTenants } from '../server/auth/tenants.ts'
import { residueNote } from '../stores/erased.ts'
import type { Store } from '../stores/store.ts'
import { printError, UserError } from './print.ts'

export interface LogOptions {
  readonly db: string
  readonly tenant: string
}

/** A database by its file, or by the URL of a server in place of it. */
export interface DatabaseOptions {
  readonly db: string
  readonly store?: string
}

export const withDatabase = (command: Command): Command =>
  command
    .option('--db <path>', 'an SQLite file; a server may be writing to it', 'throughline.db')
    .option('--store <url>', 'a PostgreSQL database instead: postgres://…')

export function databaseOf({ db, store }: DatabaseOptions): string {
  if (store === undefined || isPostgres(store)) return store ?? db
  throw new UserError('--store takes the URL of a PostgreSQL database; --db takes a file')
}

export interface ThreadOptions extends LogOptions {
  readonly actor: string
  readonly branch: string
}

export const withThread = (command: Command): Command =>
  command
    .option('--actor <name>', 'whose thread', 'assistant')
    .option('--branch <name>', 'which line of the thread', 'main')

export type AddCommand = ReturnType<typeof adderFor>

/** Adds commands with `--db` and `--tenant`. Unless `makesDatabase`, a mistyped path must not become a new file. */
export function adderFor(parent: Command, whose: string) {
  return (name: string, description: string, { makesDatabase } = { makesDatabase: false }): Command =>
    parent
      .command(name)
      .description(description)
      .option('--db <path>', 'an SQLite file, or the URL of a PostgreSQL database', 'throughline.db')
      .option('--tenant <name>', whose, 'default')
      .hook('preAction', command => {
        const { db } = command.opts<LogOptions>()
        if (!makesDatabase) checkDatabase(db)
      })
}

export function checkDatabase(db: string): void {
  if (!isPostgres(db) && !existsSync(db))
    throw new UserError(`there is no database ${db}: say where it is with --db`)
}

export const isPostgres = (db: string) => /^postgres(ql)?:/.test(db)

/** Opens a history for reading; a server may be writing to the file at the same time. */
export const readHistory = <T>(options: LogOptions, use: (history: History) => Promise<T>): Promise<T> =>
  withStore(options.db, true, store => use(createHistory({ store, tenant: options.tenant })))

export function writeHistory<T>(
  { db, tenant }: LogOptions,
  use: (history: History) => Promise<T>,
  more: Pick<HistoryOptions, 'leaseMs'> = {},
): Promise<T> {
  return withStore(db, false, store => use(createHistory({ store, tenant, ...more })))
}

export interface TenantsOptions extends LogOptions {
  readonly allTenants?: boolean
}

export const withAllTenants = (command: Command): Command =>
  command.option('--all-tenants', 'of every tenant of the database')

/** The histories that a command is about, and how it names their conversations. */
export async function historiesOf(history: History, { allTenants = false }: TenantsOptions) {
  if (!allTenants) return [{ history, nameOf: (conversation: string) => conversation }]
  return (await listTenants(history.store)).map(tenant => ({
    history: history.of(tenant),
    nameOf: (conversation: string) => `${tenant}/${conversation}`,
  }))
}

export async function withStore<T>(db: string, readOnly: boolean, use: (store: Store) => Promise<T>) {
  const store = isPostgres(db)
    ? (await import('../stores/postgres/postgres-store.ts')).postgresStore({ url: db })
    : (await import('../stores/sqlite/sqlite-store.ts')).sqliteStore({ path: db, readOnly })
  try {
    return await use(store)
  } finally {
    await store.close()
    if (store.residue?.()) printError(residueNote)
  }
}
