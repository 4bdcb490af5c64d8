import { type OptionNames, refuseUnknown } from '@throughline/core/errors'
import { checkedStore } from '../checked-store.ts'
import type { Store } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { type Connection, openConnection } from './connection.ts'
import type { SqliteDriver } from './driver.ts'
import { createLogEmptier } from './empty-log.ts'
import { groupWrites, untilFree } from './group-writes.ts'
import { isOutdated, migrate, refuseOutdated } from './migrate.ts'
import { createSpareFile } from './spare-file.ts'
import { sqliteBranches } from './sqlite-branches.ts'
import { checkFile } from './sqlite-check.ts'
import { createLeases, type SqliteContext } from './sqlite-context.ts'
import { sqliteDeletions } from './sqlite-deletions.ts'
import { isBusy } from './sqlite-error.ts'
import { saveTimes, sqliteReads } from './sqlite-reads.ts'
import { sqliteSides } from './sqlite-sides.ts'
import { canIndexWords, hasWordIndex } from './word-index.ts'

export { type BackupSqliteOptions, backupSqlite } from './backup.ts'
export type { SqliteDatabase, SqliteDriver, SqliteStatement, SqliteValue } from './driver.ts'

/** Options of `sqliteStore`. */
export interface SqliteStoreOptions {
  /** The database file. Beside it stand SQLite's `-wal` and `-shm`, and `-lock`, which keeps a second writer out. */
  readonly path: string
  /** The clock for times and leases, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The largest entry, in bytes. Default 8 MiB. */
  readonly maxEntryBytes?: number
  /** Keeps an index of words. Without it search reads every entry of the tenant. Default true. */
  readonly search?: boolean
  /** Opens the file for reading only, beside another process that writes. Needs no lock. Default false. */
  readonly readOnly?: boolean
  /** Room that is kept in a file beside, `-spare`, so that conversations can be deleted on a full disk. Default 0. */
  readonly spareBytes?: number
  /** How long a write waits in its turn while another process holds the file, in milliseconds. Default 5000. */
  readonly busyMs?: number
  /** The SQLite driver. Default: `node:sqlite` where Node has it, else `@photostructure/sqlite`. */
  readonly driver?: SqliteDriver
}

const storeNames: OptionNames<SqliteStoreOptions> = {
  path: 1,
  now: 1,
  maxEntryBytes: 1,
  search: 1,
  readOnly: 1,
  spareBytes: 1,
  busyMs: 1,
  driver: 1,
}

/**
 * The log in one SQLite file. When a method resolves, its write is on disk. One process writes, others may read.
 *
 * @example
 * const store = sqliteStore({ path: 'conversations.db' })
 */
export function sqliteStore(options: SqliteStoreOptions): Store {
  refuseUnknown(options, storeNames)
  // A call without options gets the error about the missing path.
  const {
    path,
    now = Date.now,
    maxEntryBytes,
    driver,
    ...rest
  } = options ?? ({} as SqliteStoreOptions)
  const { search = true, readOnly = false, spareBytes = 0, busyMs = 5000 } = rest
  const connection = openConnection({ path, readOnly, driver })
  const writes = groupWrites(connection, busyMs)
  const spare = createSpareFile(connection.path, readOnly ? 0 : spareBytes)
  const log = createLogEmptier(connection, spare)
  let isReady = false
  let isIndexed = false

  function update(dryRun = false): readonly string[] {
    const how = { search: search && canIndexWords(connection), dryRun: dryRun || readOnly }
    const steps = migrate(connection, how)
    if (!dryRun) settle()
    return steps
  }

  /** Migrates the file and prepares its index. Where a full disk has no room for an index, search goes without it. */
  function prepare(): void {
    try {
      update()
    } catch (error) {
      const isFull = error instanceof StoreError && error.code === 'store_full'
      if (!isFull || isOutdated(connection)) throw error
      settle()
    }
  }

  function settle(): void {
    if (readOnly) refuseOutdated(connection)
    isIndexed = hasWordIndex(connection)
    isReady = true
    log.resume()
  }

  function ready(): Connection {
    if (!isReady) prepare()
    return connection
  }

  /** Nothing where no other process is in the way: a write that comes just before `close` is then written. */
  function whenReady(): Promise<Connection> | undefined {
    try {
      ready()
      return undefined
    } catch (error) {
      if (!isBusy(error)) throw error
      return untilFree(ready, busyMs)
    }
  }

  const context: SqliteContext = {
    ready,
    async write(about, work, how) {
      const opening = whenReady()
      if (opening) await opening
      return writes.write(about, () => work(connection), how)
    },
    now,
    leases: createLeases(now, readOnly),
    appendedAt: new Map(),
    isIndexed: () => isIndexed,
    spare,
    log,
  }

  const store: Store = {
    async migrate({ dryRun = false } = {}) {
      const steps = await untilFree(() => update(dryRun), busyMs)
      await connection.synced()
      return steps
    },
    ...sqliteBranches(context),
    ...sqliteDeletions(context),
    ...sqliteReads(context),
    ...sqliteSides(context),
    async check({ rebuild = false } = {}) {
      const problems = checkFile(ready(), { isIndexed, rebuild })
      if (rebuild) await connection.synced()
      return problems
    },
    residue: () => log.isPending,
    async close() {
      writes.flush()
      try {
        saveTimes(context)
      } catch {
        // The times are older than they should be, and nothing else is missing.
      }
      log.close()
      await connection.close()
    },
  }
  return checkedStore(store, maxEntryBytes)
}
