import { checkNames } from '../check-input.ts'
import type { Connection } from './connection.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { forgetEntries } from './word-index.ts'

/**
 * The tombstone and the removal are one transaction. The name stays and refuses what comes late; the texts are
 * overwritten in the file, and the write-ahead log, which has them too, is emptied.
 */
export function deleteConversation(context: SqliteContext, tenant: string, conversation: string): boolean {
  checkNames({ tenant, conversation })
  const connection = context.ready()
  const isDeleted = connection.write(() => {
    const sql = 'SELECT id FROM conversations WHERE tenant = ? AND conversation = ? AND deleted_at IS NULL'
    const row = connection.get<{ id: number }>(sql, tenant, conversation)
    if (!row) return false
    connection.run('UPDATE conversations SET deleted_at = ? WHERE id = ?', context.now(), row.id)
    // Forks come after what they were forked from, so they go first.
    const branches = 'SELECT id FROM branches WHERE conversation_id = ? ORDER BY id DESC'
    for (const { id } of connection.all<{ id: number }>(branches, row.id))
      removeBranch(connection, id, context.isIndexed())
    return true
  })
  if (isDeleted) connection.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return isDeleted
}

function removeBranch(connection: Connection, id: number, isIndexed: boolean): void {
  const places = [placeOf(id, 0), placeOf(id, maxSeq)] as const
  if (isIndexed) forgetEntries(connection, ...places)
  connection.run('DELETE FROM entries WHERE place BETWEEN ? AND ?', ...places)
  for (const table of ['turns', 'calls', 'caches'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}
