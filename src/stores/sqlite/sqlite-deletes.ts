import type { Store } from '../store.ts'
import type { BranchRow } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { findConversation } from './conversation-rows.ts'
import { saveRow } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { forgetEntries, rebuildWordIndex } from './word-index.ts'

/** Deletes calls and conversations. Texts are overwritten in the file, and the write-ahead log is emptied. */
export function sqliteDeletes(context: SqliteContext): Pick<Store, 'deleteCalls' | 'deleteConversation'> {
  const { leases } = context
  const emptyLog = () => context.ready().exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return {
    async deleteCalls(tenant, before) {
      const count = context.write(connection => {
        const { n } = connection.get<{ n: number }>(`SELECT count(*) AS n ${oldCalls}`, before, tenant)!
        if (n > 0) connection.run(`DELETE ${oldCalls}`, before, tenant)
        return n
      })
      if (count > 0) emptyLog()
      return count
    },
    /** Sets the tombstone and removes everything in one transaction. */
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const deleted = context.write(connection => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) return undefined
        // Forks first: they refer to the branches that they were forked from.
        const branches = connection.all<BranchRow>(branchesSql, row.id)
        const isUsed = (since: number) =>
          row.created_at >= since ||
          branches.some(
            branch => branch.updated_at >= since || (branch.open_turn !== null && leases.heldMs(branch) > 0),
          )
        if (unusedSince !== undefined && isUsed(unusedSince)) return undefined
        const tombstone = { ...row, deleted_at: context.now(), title: null, metadata: null }
        saveRow(connection, 'conversations', tombstone)
        const isForgotten = !context.isIndexed() || branches.every(({ id }) => forgetEntries(connection, id))
        for (const { id } of branches) removeBranch(connection, id)
        if (!isForgotten) rebuildWordIndex(connection)
        connection.forget()
        return branches
      })
      if (!deleted) return false
      for (const { id } of deleted) leases.take(id)
      emptyLog()
      return true
    },
  }
}

const oldCalls = `FROM calls WHERE time < ? AND branch_id IN (
  SELECT branches.id FROM branches JOIN conversations ON conversations.id = conversation_id WHERE tenant = ?)`

const branchesSql = 'SELECT * FROM branches WHERE conversation_id = ? ORDER BY id DESC'

function removeBranch(connection: Connection, id: number): void {
  connection.run('DELETE FROM entries WHERE place BETWEEN ? AND ?', placeOf(id, 0), placeOf(id, maxSeq))
  for (const table of ['turns', 'calls', 'caches', 'marks'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}
