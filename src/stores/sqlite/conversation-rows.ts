import type { ThreadKey } from '../store.ts'
import type { Connection } from './connection.ts'
import { type Checked, insertRow, type Summed, saveRow, sound } from './rows.ts'
import { damaged } from './sqlite-error.ts'

export interface ConversationRow extends Summed<'conversations'> {
  readonly id: number
  readonly tenant: string
  readonly conversation: string
  readonly created_at: number
  readonly deleted_at: number | null
  readonly title: string | null
  readonly metadata: string | null
}

type Names = Pick<ThreadKey, 'tenant' | 'conversation'>

/** Finds a conversation by name, a deleted one too: its name stays. */
export function findConversation(
  connection: Connection,
  { tenant, conversation }: Names,
): ConversationRow | undefined {
  const sql = 'SELECT * FROM conversations WHERE tenant = ? AND conversation = ?'
  const row = connection.get<ConversationRow & Checked>(sql, tenant, conversation)
  if (row) return sound('conversations', row, row.tenant === tenant && row.conversation === conversation)
  verifyNames(connection)
  return undefined
}

export function conversationById(connection: Connection, id: number): ConversationRow | undefined {
  const row = connection.get<ConversationRow & Checked>('SELECT * FROM conversations WHERE id = ?', id)
  return row && sound('conversations', row, row.id === id)
}

export function insertConversation(
  connection: Connection,
  { tenant, conversation }: Names,
  createdAt: number,
): ConversationRow {
  const names = { tenant, conversation, created_at: createdAt }
  const row = { ...names, deleted_at: null, title: null, metadata: null }
  const id = insertRow(connection, 'conversations', { ...row, id: null })
  return saveRow(connection, 'conversations', { ...row, id })
}

/**
 * Checks all names once, the first time that a name is not found or names are listed: where a name or the index of names
 * is damaged, a conversation must not vanish in silence.
 */
export function verifyNames(connection: Connection): void {
  if (verified.has(connection)) return
  for (const table of ['conversations', 'branches'] as const) {
    for (const row of connection.iterate(`SELECT * FROM ${table} NOT INDEXED`)) sound(table, row as never)
    const [row] = connection.all<{ integrity_check: string }>(`PRAGMA integrity_check(${table})`)
    if (row?.integrity_check !== 'ok') throw damaged(connection.path, `the table of ${table}`)
  }
  verified.add(connection)
}

const verified = new WeakSet<Connection>()
