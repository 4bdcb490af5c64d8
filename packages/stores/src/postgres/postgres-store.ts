import {
  InvalidOptionError,
  type OptionNames,
  refuseUnknown,
  showValue,
} from '@throughline/core/errors'
import { checkedStore } from '../checked-store.ts'
import type { Store } from '../store.ts'
import { check } from './check.ts'
import { openDatabase, type PgPool } from './database.ts'
import { isSpread, migrate, migrateIfNeeded } from './migrate.ts'
import type { PostgresContext } from './postgres-context.ts'
import { postgresReads } from './postgres-reads.ts'
import { postgresConversations, postgresSides } from './postgres-sides.ts'
import { postgresWrites } from './postgres-writes.ts'
import { wordIndexer } from './word-indexer.ts'

export type { PgClient, PgPool, Statement } from './database.ts'

/** Options of `postgresStore`. */
export interface PostgresStoreOptions {
  /** The address of the database: `postgres://user@host/name`. Default: what the variables PGHOST, PGUSER and their like say. */
  readonly url?: string
  /** A pool of `pg` instead of a url. It stays open when the store is closed. */
  readonly pool?: PgPool
  /** The largest entry, in bytes. Default 8 MiB. */
  readonly maxEntryBytes?: number
  /**
   * How long the database may take to answer a statement, and to give a connection; then the operation fails with
   * `store_unavailable`, or with `outcome_unknown` where it may have been stored. Migrations are not limited. Default: no limit.
   * A pool that you pass has its own limit for connections.
   */
  readonly timeoutMs?: number
  /**
   * Keeps an index of words, in the background: search finds an entry as soon as it is stored. Without it search reads every
   * entry of the tenant; an instance with it indexes what others wrote, too. Default true.
   */
  readonly search?: boolean
  /** The PostgreSQL schema that holds the tables. Default `throughline`. */
  readonly schema?: string
  /**
   * Spreads the tables over the machines of a Citus cluster, by conversation: `url` is that of its coordinator. A migration does
   * it, also to tables that are there; whoever opens them later need not say it. Default: all is on one machine.
   */
  readonly distribute?: 'citus'
  /** Whether the first use migrates the schema. False: only `migrate()` does. Default true. */
  readonly migrate?: boolean
}

const storeNames: OptionNames<PostgresStoreOptions> = {
  url: 1,
  pool: 1,
  maxEntryBytes: 1,
  timeoutMs: 1,
  search: 1,
  schema: 1,
  distribute: 1,
  migrate: 1,
}

/**
 * The log in PostgreSQL, for several instances at once. Only prepared statements are kept in the session, where the pooler
 * supports them: the store runs behind a pooler in transaction mode.
 *
 * @example
 * const store = postgresStore({ url: 'postgres://localhost/throughline' })
 */
export function postgresStore(options: PostgresStoreOptions = {}): Store {
  refuseUnknown(options, storeNames)
  const { url, pool, maxEntryBytes, timeoutMs, schema = 'throughline' } = options
  const { search: isIndexed = true, migrate: autoMigrate = true, distribute } = options
  if (distribute !== undefined && distribute !== 'citus')
    throw new InvalidOptionError(
      'distribute',
      `expected 'citus' or nothing, got ${showValue(distribute)}`,
    )
  if (url !== undefined && pool)
    throw new InvalidOptionError('pool', 'give a url or a pool, not both')
  if (url !== undefined) checkUrl(url)
  if (pool !== undefined && typeof pool?.connect !== 'function')
    throw new InvalidOptionError('pool', `expected a pool of pg, got ${showValue(pool)}`)
  const name = quote(schema)
  const database = openDatabase({ url, pool, timeoutMs })
  const context: PostgresContext = { database, schema: name, isIndexed, isDistributed: false }
  const indexer = wordIndexer(context)
  const reads = postgresReads(context, indexer)
  const store: Store = {
    migrate: ({ dryRun = false } = {}) => migrate(database, name, { dryRun, distribute }),
    ...postgresWrites(context, indexer, reads),
    ...reads,
    ...postgresConversations(context),
    ...postgresSides(context),
    check: check(context),
    async close() {
      await indexer.close()
      await database.close()
    },
  }
  const prepare = async () => {
    if (autoMigrate) await migrateIfNeeded(database, name, { distribute })
    context.isDistributed = await isSpread(database.read, name)
  }
  return checkedStore(whenReady(store, prepare), maxEntryBytes)
}

/** A store that is prepared before its first use. After a failure the next use tries again. */
function whenReady(store: Store, prepare: () => Promise<void>): Store {
  let prepared: Promise<void> | undefined
  const ready = () => {
    prepared ??= prepare().catch(error => {
      prepared = undefined
      throw error
    })
    return prepared
  }
  const methods = store as unknown as Readonly<Record<string, (...input: unknown[]) => unknown>>
  const waiting = Object.entries(methods).map(([name, method]) => [
    name,
    async (...input: unknown[]) => {
      await ready()
      return method(...input)
    },
  ])
  return {
    ...Object.fromEntries(waiting),
    close: store.close,
    async migrate(options) {
      // What was found before may not hold any more.
      prepared = undefined
      return store.migrate(options)
    },
    async *entries(thread, range) {
      await ready()
      yield* store.entries(thread, range)
    },
  }
}

/** Anything else would be taken for the name of a server. It is not shown: there may be a password in it. */
function checkUrl(url: unknown): void {
  if (typeof url === 'string' && /^(postgres(ql)?:\/\/|socket:|\/)/.test(url)) return
  const got = typeof url === 'string' ? 'another text' : showValue(url)
  throw new InvalidOptionError('url', `expected postgres://user@host:5432/database, got ${got}`)
}

function quote(schema: string): string {
  if (/^[A-Za-z_][A-Za-z0-9_]{0,62}$/.test(schema)) return `"${schema}"`
  const problem = `"${schema}" is not a plain name of at most 63 letters, digits and _`
  throw new InvalidOptionError('schema', problem)
}
