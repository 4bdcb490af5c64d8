import type { Connection } from './connection.ts'
import type { HeldTurns } from './held-turns.ts'
import type { IndexQueue } from './index-queue.ts'
import type { SqliteLeases } from './sqlite-leases.ts'

export interface SqliteContext {
  /** The connection; the first use migrates the file. */
  ready(): Connection
  readonly now: () => number
  readonly held: HeldTurns
  readonly leases: SqliteLeases
  queue(): IndexQueue | undefined
}
