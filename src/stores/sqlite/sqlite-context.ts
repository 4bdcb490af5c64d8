import type { Connection } from './connection.ts'
import type { HeldTurns } from './held-turns.ts'
import type { IndexQueue } from './index-queue.ts'
import type { SqliteLeases } from './sqlite-leases.ts'

/** What the parts of the store share. */
export interface SqliteContext {
  /** The connection, with the schema that it needs: the first use brings the file up to date. */
  ready(): Connection
  readonly now: () => number
  readonly maxEntryBytes: number
  readonly held: HeldTurns
  readonly leases: SqliteLeases
  /** Where there is an index. */
  queue(): IndexQueue | undefined
}
