import { existsSync } from 'node:fs'
import {
  createHistory,
  type History,
  type HistoryOptions,
  type Thread,
} from '@throughline/history/threads'
import { residueNote } from '@throughline/stores/errors'
import { isPostgres, type Store } from '@throughline/stores/store'
import type { Command } from 'commander'
import { listTenants } from '../auth/tenants.ts'
import type { ServerFlags } from './ask-server.ts'
import { printError, UserError } from './print.ts'

export interface LogOptions {
  readonly db: string
  readonly tenant: string
}

export type DatabaseOptions = Pick<LogOptions, 'db'>

/** The database has this one name in every command, and in the settings of the server. */
export const withDatabase = (command: Command): Command =>
  command.option(
    '--db <path|url>',
    'an SQLite file, or postgres://… for PostgreSQL',
    'throughline.db',
  )

export interface ThreadOptions extends LogOptions {
  readonly actor: string
  readonly branch: string
}

export const withThread = (command: Command): Command =>
  command
    .option('--actor <name>', 'whose thread', 'assistant')
    .option('--branch <name>', 'which line of the thread', 'main')

/** Runs a command that reads one thread, which must be there. */
export function onThread<Options>(
  use: (thread: Thread, options: Options, history: History) => Promise<void>,
) {
  return (conversation: string, options: ThreadOptions & Options) =>
    readHistory(options, async history => {
      const { actor, branch } = options
      const thread = history.thread(conversation, { actor, branch })
      if ((await thread.messages({ limit: 1 })).length === 0)
        throw new UserError(`there is no thread ${conversation}/${actor}/${branch}`)
      await use(thread, options, history)
    })
}

export type AddCommand = ReturnType<typeof adderFor>

/** Adds commands with `--db` and `--tenant`. Unless `makesDatabase`, a mistyped path must not become a new file. */
export function adderFor(parent: Command, whose: string) {
  return (
    name: string,
    description: string,
    { makesDatabase } = { makesDatabase: false },
  ): Command =>
    withDatabase(parent.command(name).description(description))
      .option('--tenant <name>', whose, 'default')
      .hook('preAction', command => {
        const { db, server } = command.opts<LogOptions & ServerFlags>()
        if (!makesDatabase && server === undefined) checkDatabase(db)
      })
}

export function checkDatabase(db: string): void {
  if (!isPostgres(db) && !existsSync(db))
    throw new UserError(`there is no database ${db}: say where it is with --db`)
}

/** Opens a history for reading; a server may be writing to the file at the same time. */
export const readHistory = <T>(
  options: LogOptions,
  use: (history: History) => Promise<T>,
): Promise<T> =>
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

export async function withStore<T>(
  db: string,
  readOnly: boolean,
  use: (store: Store) => Promise<T>,
) {
  const store = isPostgres(db)
    ? (await import('@throughline/stores/postgres')).postgresStore({ url: db })
    : (await import('@throughline/stores/sqlite')).sqliteStore({ path: db, readOnly })
  try {
    return await use(store)
  } finally {
    await store.close()
    if (store.residue?.()) printError(residueNote)
  }
}
