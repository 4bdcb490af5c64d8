import { checkNames, checkTime } from '../check-input.ts'
import type { Store } from '../store.ts'
import type { Connection } from './connection.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { forgetEntries } from './word-index.ts'

/** Texts are overwritten in the file, and the write-ahead log, which has them too, is emptied. */
export function sqliteDeletes(context: SqliteContext): Pick<Store, 'deleteCalls' | 'deleteConversation'> {
  return {
    async deleteCalls(tenant, before) {
      checkNames({ tenant })
      checkTime('before', before)
      const connection = context.ready()
      const count = connection.write(() => {
        const { n } = connection.get<{ n: number }>(`SELECT count(*) AS n ${oldCalls}`, before, tenant)!
        if (n > 0) connection.run(`DELETE ${oldCalls}`, before, tenant)
        return n
      })
      if (count > 0) emptyLog(connection)
      return count
    },
    /** The tombstone and the removal are one transaction. The name stays and refuses what comes late. */
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      checkNames({ tenant, conversation })
      if (unusedSince !== undefined) checkTime('unusedSince', unusedSince)
      const connection = context.ready()
      const isDeleted = connection.write(() => {
        const row = connection.get<Conversation>(conversationSql, context.now(), tenant, conversation)
        if (!row || (unusedSince !== undefined && isUsed(row, unusedSince))) return false
        connection.run(
          'UPDATE conversations SET deleted_at = ?, title = NULL, metadata = NULL WHERE id = ?',
          context.now(),
          row.id,
        )
        // Forks come after what they were forked from, so they go first.
        const branches = 'SELECT id FROM branches WHERE conversation_id = ? ORDER BY id DESC'
        for (const { id } of connection.all<{ id: number }>(branches, row.id))
          removeBranch(connection, id, context.queue() !== undefined)
        return true
      })
      if (!isDeleted) return false
      context.held.clear()
      context.queue()?.forget()
      emptyLog(connection)
      return true
    },
  }
}

const oldCalls = `FROM calls WHERE time < ? AND branch_id IN (
  SELECT branches.id FROM branches JOIN conversations ON conversations.id = conversation_id WHERE tenant = ?)`

interface Conversation {
  readonly id: number
  readonly updated_at: number
  readonly held: number
}

const conversationSql = `SELECT conversations.id, max(created_at, ifnull(max(updated_at), 0)) AS updated_at,
    ifnull(max(open_turn IS NOT NULL AND ? < lease_until), 0) AS held
  FROM conversations LEFT JOIN branches ON conversation_id = conversations.id
  WHERE tenant = ? AND conversation = ? AND deleted_at IS NULL GROUP BY conversations.id`

const isUsed = ({ updated_at: updatedAt, held }: Conversation, since: number) =>
  updatedAt >= since || held === 1

function removeBranch(connection: Connection, id: number, isIndexed: boolean): void {
  if (isIndexed) forgetEntries(connection, id)
  connection.run('DELETE FROM entries WHERE place BETWEEN ? AND ?', placeOf(id, 0), placeOf(id, maxSeq))
  for (const table of ['turns', 'calls', 'caches'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}

const emptyLog = (connection: Connection) => connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
