import { checkCall, checkName, checkThread } from '../check-input.ts'
import type { Store, StoredCall } from '../store.ts'
import { findBranch, needBranch } from './branch-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'

type Sides = Pick<Store, 'saveCall' | 'calls' | 'saveCache' | 'loadCache'>

/** What stands beside the log: records of calls, and caches. */
export function sqliteSides(context: SqliteContext): Sides {
  return {
    async saveCall(thread, call) {
      checkThread(thread)
      checkCall(call, context.maxEntryBytes)
      const { id, turn, time, model, plan, predicted, reported = null, status, error = null } = call
      const connection = context.ready()
      connection.write(() => {
        const branch = needBranch(connection, thread)
        connection.run(
          `INSERT INTO calls (branch_id, id, turn, time, model, plan, predicted, reported, status, error)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (branch_id, id) DO UPDATE SET turn = excluded.turn, time = excluded.time, model = excluded.model,
             plan = excluded.plan, predicted = excluded.predicted, reported = excluded.reported,
             status = excluded.status, error = excluded.error`,
          ...[branch.id, id, turn, time, model, plan, predicted, reported, status, error],
        )
      })
    },
    async calls(thread, { limit = -1 } = {}) {
      checkThread(thread)
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      const sql = `SELECT id, turn, time, model, plan, predicted, reported, status, error FROM calls
        WHERE branch_id = ? ORDER BY number DESC LIMIT ?`
      return branch ? connection.all<CallRow>(sql, branch.id, limit).map(toCall) : []
    },
    async saveCache(thread, key, at, bytes) {
      checkThread(thread)
      checkName('key of the cache', key)
      const connection = context.ready()
      connection.write(() => {
        const branch = needBranch(connection, thread)
        const sql = `INSERT INTO caches (branch_id, key, at, bytes) VALUES (?, ?, ?, ?)
          ON CONFLICT (branch_id, key) DO UPDATE SET at = excluded.at, bytes = excluded.bytes`
        connection.run(sql, branch.id, key, at, bytes)
      })
    },
    async loadCache(thread, key) {
      checkThread(thread)
      checkName('key', key)
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      const sql = 'SELECT at, bytes FROM caches WHERE branch_id = ? AND key = ?'
      const row = branch && connection.get<{ at: number; bytes: Uint8Array }>(sql, branch.id, key)
      return row && { at: row.at, bytes: new Uint8Array(row.bytes) }
    },
  }
}

interface CallRow extends Omit<StoredCall, 'reported' | 'error'> {
  readonly reported: number | null
  readonly error: string | null
}

const toCall = ({ reported, error, ...call }: CallRow): StoredCall => ({
  ...call,
  ...(reported !== null && { reported }),
  ...(error !== null && { error }),
})
