import { checksum } from '../checksum.ts'
import { damaged } from './sqlite-error.ts'

/** The columns that a row's checksum covers: all but the checksum itself. */
export const columns = {
  conversations: ['id', 'tenant', 'conversation', 'created_at', 'deleted_at', 'title', 'metadata'],
  branches: [
    ...['id', 'conversation_id', 'actor', 'branch', 'parent_id', 'fork_at', 'head', 'turns', 'open_turn'],
    ...['owner', 'epoch', 'lease_until', 'updated_at'],
  ],
  turns: [
    ...['branch_id', 'turn', 'status', 'first', 'last', 'started_at', 'ended_at', 'error', 'key', 'body'],
    ...['owner', 'epoch'],
  ],
  entries: ['place', 'id', 'turn', 'role', 'time', 'tokens', 'payload'],
  calls: ['branch_id', 'id', 'turn', 'time', 'model', 'plan', 'predicted', 'reported', 'status', 'error'],
} as const

export type Table = keyof typeof columns
export const tables = Object.keys(columns) as Table[]

export type Summed<Name extends Table> = {
  readonly [Column in (typeof columns)[Name][number]]: string | number | null
}

export const rowSum = <Name extends Table>(table: Name, row: Summed<Name>): number =>
  checksum(columns[table].map(column => (row as Record<string, string | number | null>)[column]!))

export const isSound = <Name extends Table>(
  table: Name,
  row: Summed<Name> & { readonly checksum: number },
): boolean => rowSum(table, row) === row.checksum

/** Returns the row; throws if it has changed since it was written, or is not the row that was asked for. */
export function sound<Name extends Table, Row extends Summed<Name> & { readonly checksum: number }>(
  table: Name,
  row: Row,
  isAskedFor = true,
): Row {
  if (isAskedFor && isSound(table, row)) return row
  throw damaged('The store', `a row of ${table}`)
}
