import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { type BranchRow, findConversation, needBranch } from './conversation-rows.ts'
import { isStoreFull } from './empty-log.ts'
import { readEntries } from './entry-rows.ts'
import type { About } from './group-writes.ts'
import { saveRow } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { deleteCallsFrom, deleteOldCalls } from './sqlite-sides.ts'
import { forgetEntries, rebuildWordIndex, reindexEntry } from './word-index.ts'

export function sqliteDeletions(context: SqliteContext) {
  const { now, leases, isIndexed, spare, log } = context

  /** Deletes in a transaction, on a full disk with the room that is kept for it. Work that deleted nothing gives a false value. */
  async function remove<T>(
    about: About,
    work: (connection: Connection) => T,
    settle?: (result: T) => void,
  ) {
    const onCommit = (result: T) => {
      settle?.(result)
      if (result) log.empty()
    }
    try {
      return await context.write(about, work, { onCommit })
    } catch (error) {
      if (!isStoreFull(error)) throw error
      spare.release()
      log.empty()
      return await context.write(about, work, { onCommit })
    } finally {
      spare.keep()
    }
  }

  return {
    deleteCalls: (tenant, before) =>
      remove({ tenant, conversation: '' }, connection =>
        deleteOldCalls(connection, tenant, before),
      ),
    erase: (thread, seq, { payload, tokens }) =>
      remove(thread, connection => {
        const branch = needBranch(connection, thread)
        const [row] = readEntries(connection, branch, { from: seq, to: seq })
        if (!row) return false
        const change = () =>
          void saveRow(connection, 'entries', row, { payload, tokens: JSON.stringify(tokens) })
        if (!isIndexed()) change()
        else if (!reindexEntry(connection, row.place, change)) rebuildWordIndex(connection)
        const sql = 'SELECT * FROM branches WHERE conversation_id = ? AND actor = ?'
        for (const { id } of connection.all<BranchRow>(sql, branch.conversation_id, thread.actor)) {
          connection.run('DELETE FROM caches WHERE branch_id = ?', id)
          deleteCallsFrom(connection, id, row.turn)
        }
        connection.forget()
        return true
      }),
    /** Sets the tombstone, without which no entry can go, and removes everything in one transaction. */
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const work = (connection: Connection) => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) return undefined
        // Forks first: they refer to the branches that they were forked from.
        const branches = connection.all<BranchRow>(branchesSql, row.id)
        const isUsed = (since: number) =>
          row.created_at >= since ||
          (row.used_at ?? 0) >= since ||
          branches.some(
            branch =>
              Math.max(branch.updated_at, context.appendedAt.get(branch.id) ?? 0) >= since ||
              (branch.open_turn !== null && leases.heldMs(branch) > 0),
          )
        if (unusedSince !== undefined && isUsed(unusedSince)) return undefined
        const gone = { title: null, metadata: null, person: null, used_at: null }
        saveRow(connection, 'conversations', row, { ...gone, deleted_at: now() })
        const isForgotten =
          !isIndexed() || branches.every(({ id }) => forgetEntries(connection, id))
        for (const { id } of branches) removeBranch(connection, id)
        if (!isForgotten) rebuildWordIndex(connection)
        if (unusedSince !== undefined)
          connection.run('DELETE FROM conversations WHERE id = ?', row.id)
        connection.forget()
        return branches
      }
      const deleted = await remove({ tenant, conversation }, work, branches => {
        for (const { id } of branches ?? []) leases.take(id)
      })
      return deleted !== undefined
    },
  } satisfies Partial<Store>
}

const branchesSql = 'SELECT * FROM branches WHERE conversation_id = ? ORDER BY id DESC'

function removeBranch(connection: Connection, id: number): void {
  connection.run(
    'DELETE FROM entries WHERE place BETWEEN ? AND ?',
    placeOf(id, 0),
    placeOf(id, maxSeq),
  )
  for (const table of ['turns', 'calls', 'caches', 'marks'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}
