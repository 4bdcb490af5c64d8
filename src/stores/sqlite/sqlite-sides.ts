import { checksum } from '../checksum.ts'
import type { Store, StoredCall } from '../store.ts'
import { findBranch, needBranch } from './branch-rows.ts'
import { rowSum, sound } from './row-sums.ts'
import type { SqliteContext } from './sqlite-context.ts'

type Sides = Pick<Store, 'saveCall' | 'calls' | 'saveCache' | 'loadCache'>

/** Keeps call records and caches, beside the log. */
export function sqliteSides(context: SqliteContext): Sides {
  return {
    async saveCall(thread, call) {
      const { id, turn, time, model, plan, predicted, reported = null, status, error = null } = call
      const connection = context.ready()
      connection.write(() => {
        const { id: branchId } = needBranch(connection, thread)
        const row = { ...call, branch_id: branchId, reported, error }
        connection.run(
          `INSERT INTO calls (branch_id, id, turn, time, model, plan, predicted, reported, status, error, checksum)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
           ON CONFLICT (branch_id, id) DO UPDATE SET turn = excluded.turn, time = excluded.time, model = excluded.model,
             plan = excluded.plan, predicted = excluded.predicted, reported = excluded.reported,
             status = excluded.status, error = excluded.error, checksum = excluded.checksum`,
          ...[branchId, id, turn, time, model, plan, predicted, reported, status, error],
          rowSum('calls', row),
        )
      })
    },
    async calls(thread, { limit } = {}) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      const sql = 'SELECT * FROM calls WHERE branch_id = ? ORDER BY number DESC LIMIT ?'
      return branch
        ? connection.all<CallRow>(sql, branch.id, limit ?? -1).map(row => toCall(row, branch.id))
        : []
    },
    async saveCache(thread, key, at, bytes) {
      const connection = context.ready()
      connection.write(() => {
        const branch = needBranch(connection, thread)
        const sql = `INSERT INTO caches (branch_id, key, at, checksum, bytes) VALUES (?, ?, ?, ?, ?)
          ON CONFLICT (branch_id, key) DO UPDATE SET at = excluded.at, checksum = excluded.checksum,
            bytes = excluded.bytes`
        connection.run(sql, branch.id, key, at, cacheSum(branch.id, key, at, bytes), bytes)
      })
    },
    async loadCache(thread, key) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      const sql = 'SELECT at, checksum, bytes FROM caches WHERE branch_id = ? AND key = ?'
      const row = branch && connection.get<CacheRow>(sql, branch.id, key)
      // A damaged cache counts as absent: it can be rebuilt.
      if (!row || row.checksum !== cacheSum(branch.id, key, row.at, row.bytes)) return undefined
      return { at: row.at, bytes: new Uint8Array(row.bytes) }
    },
  }
}

interface CacheRow {
  readonly at: number
  readonly checksum: number
  readonly bytes: Uint8Array
}

interface CallRow extends Omit<StoredCall, 'reported' | 'error'> {
  readonly branch_id: number
  readonly reported: number | null
  readonly error: string | null
  readonly checksum: number
}

function toCall(row: CallRow, branchId: number): StoredCall {
  const { id, turn, time, model, plan, predicted, reported, status, error } = sound(
    'calls',
    row,
    row.branch_id === branchId,
  )
  const call = { id, turn, time, model, plan, predicted, status }
  return { ...call, ...(reported !== null && { reported }), ...(error !== null && { error }) }
}

const cacheSum = (branchId: number, key: string, at: number, bytes: Uint8Array) =>
  checksum([branchId, key, at], bytes)
