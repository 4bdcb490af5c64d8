import type { Connection } from './connection.ts'
import type { HeldTurns } from './held-turns.ts'
import type { IndexQueue } from './index-queue.ts'
import type { SqliteLeases } from './sqlite-leases.ts'

/** Shared by the parts of the store. */
export interface SqliteContext {
  /** The connection; the first use migrates the file. */
  ready(): Connection
  readonly now: () => number
  readonly maxEntryBytes: number
  readonly held: HeldTurns
  readonly leases: SqliteLeases
  /** The queue of the word index, if there is an index. */
  queue(): IndexQueue | undefined
}
