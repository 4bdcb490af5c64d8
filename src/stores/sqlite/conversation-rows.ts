import type { Connection } from './connection.ts'
import { rowSum, type Summed, sound } from './row-sums.ts'
import { verifyNames } from './verify-names.ts'

export interface ConversationRow extends Summed<'conversations'> {
  readonly id: number
  readonly tenant: string
  readonly conversation: string
  readonly created_at: number
  readonly deleted_at: number | null
  readonly title: string | null
  readonly metadata: string | null
  readonly checksum: number
}

/** Finds a conversation by name, a deleted one too: its name stays. */
export function findConversation(
  connection: Connection,
  { tenant, conversation }: { readonly tenant: string; readonly conversation: string },
): ConversationRow | undefined {
  const sql = 'SELECT * FROM conversations WHERE tenant = ? AND conversation = ?'
  const row = connection.get<ConversationRow>(sql, tenant, conversation)
  if (row) return sound('conversations', row, row.tenant === tenant && row.conversation === conversation)
  verifyNames(connection)
  return undefined
}

export function conversationById(connection: Connection, id: number): ConversationRow | undefined {
  const row = connection.get<ConversationRow>('SELECT * FROM conversations WHERE id = ?', id)
  return row && sound('conversations', row, row.id === id)
}

export function insertConversation(
  connection: Connection,
  { tenant, conversation }: { readonly tenant: string; readonly conversation: string },
  createdAt: number,
): ConversationRow {
  const sql = 'INSERT INTO conversations (tenant, conversation, created_at, checksum) VALUES (?, ?, ?, 0)'
  const id = connection.run(sql, tenant, conversation, createdAt)
  const fresh = { id, tenant, conversation, created_at: createdAt, deleted_at: null, title: null }
  return saveConversation(connection, { ...fresh, metadata: null, checksum: 0 })
}

export function saveConversation(connection: Connection, row: ConversationRow): ConversationRow {
  const checksum = rowSum('conversations', row)
  connection.run(
    'UPDATE conversations SET deleted_at = ?, title = ?, metadata = ?, checksum = ? WHERE id = ?',
    ...[row.deleted_at, row.title, row.metadata, checksum, row.id],
  )
  return { ...row, checksum }
}
