import type { Connection } from './connection.ts'
import { sound, type Table } from './row-sums.ts'
import { damaged } from './sqlite-error.ts'

/**
 * Checks all names once, the first time that a name is not found or names are listed: where a name or the index of names
 * is damaged, a conversation must not vanish in silence.
 */
export function verifyNames(connection: Connection): void {
  if (verified.has(connection)) return
  for (const table of ['conversations', 'branches'] as const) verify(connection, table)
  verified.add(connection)
}

const verified = new WeakSet<Connection>()

function verify(connection: Connection, table: Table): void {
  for (const row of connection.iterate(`SELECT * FROM ${table} NOT INDEXED`)) sound(table, row as never)
  const [row] = connection.all<{ integrity_check: string }>(`PRAGMA integrity_check(${table})`)
  if (row?.integrity_check !== 'ok') throw damaged(connection.path, `the table of ${table}`)
}
