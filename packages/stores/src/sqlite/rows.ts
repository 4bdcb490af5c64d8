import { checksum } from '../checksum.ts'
import type { Connection } from './connection.ts'
import { damaged } from './sqlite-error.ts'

/** The columns that a row's checksum covers: all but the checksum itself. */
export const columns = {
  conversations: [
    'id',
    'tenant',
    'conversation',
    'created_at',
    'deleted_at',
    'title',
    'metadata',
    'person',
    'used_at',
  ],
  branches: [
    'id',
    'conversation_id',
    'actor',
    'branch',
    'parent_id',
    'fork_at',
    'head',
    'turns',
    'open_turn',
    'owner',
    'epoch',
    'lease_until',
    'updated_at',
  ],
  turns: [
    'branch_id',
    'turn',
    'status',
    'first',
    'last',
    'started_at',
    'ended_at',
    'error',
    'key',
    'body',
    'epoch',
  ],
  entries: ['place', 'id', 'turn', 'role', 'time', 'tokens', 'payload'],
  calls: [
    'branch_id',
    'id',
    'turn',
    'time',
    'model',
    'plan',
    'depth',
    'predicted',
    'reported',
    'status',
    'error',
  ],
} as const

/** The columns that name a row, in the tables whose rows change. */
const keys = {
  conversations: ['id'],
  branches: ['id'],
  turns: ['branch_id', 'turn'],
  entries: ['place'],
  calls: ['branch_id', 'id'],
} as const

type SqlValue = string | number | Uint8Array | null
export type TableName = keyof typeof columns
export const tables = Object.keys(columns) as TableName[]

export interface Checked {
  readonly checksum: number
}

type Names = 'tenant' | 'conversation' | 'actor' | 'branch' | 'model'
type OtherTexts = 'status' | 'role' | 'tokens' | 'payload'
type OptionalTexts = 'title' | 'metadata' | 'person' | 'owner' | 'error' | 'key' | 'body'
type OptionalNumbers =
  | 'deleted_at'
  | 'used_at'
  | 'parent_id'
  | 'open_turn'
  | 'ended_at'
  | 'reported'

/** A row of a table, typed by the names of its columns. */
export type RowOf<Name extends TableName> = {
  readonly [Column in (typeof columns)[Name][number]]: Column extends OptionalTexts
    ? string | null
    : Column extends OptionalNumbers
      ? number | null
      : Column extends 'plan'
        ? Uint8Array
        : Column extends Names | OtherTexts | (Name extends 'entries' | 'calls' ? 'id' : never)
          ? string
          : number
}

export type Summed<Name extends TableName> = {
  readonly [Column in (typeof columns)[Name][number]]: SqlValue
}

export const rowSum = <Name extends TableName>(table: Name, row: Summed<Name>): number =>
  checksum(valuesOf(row, columns[table]))

export const isSound = <Name extends TableName>(
  table: Name,
  row: Summed<Name> & Checked,
): boolean => rowSum(table, row) === row.checksum

/** Returns the row; throws if it has changed since it was written, or is not the row that was asked for. */
export function sound<Name extends TableName, Row extends Summed<Name> & Checked>(
  table: Name,
  row: Row,
  isAskedFor = true,
): Row {
  if (isAskedFor && isSound(table, row)) return row
  throw damaged('The store', `a row of ${table}`)
}

/** Inserts a row with its checksum and returns its id. A row without an id gets one here and is saved with it again. */
export function insertRow<Name extends TableName>(
  connection: Connection,
  table: Name,
  row: Summed<Name>,
  sql = inserts[table],
): number {
  const values = valuesOf(row, columns[table])
  return connection.run(sql, ...values, checksum(values))
}

export const inserts = Object.fromEntries(
  tables.map(table => {
    const names = [...columns[table], 'checksum']
    return [table, `INSERT INTO ${table} (${names}) VALUES (${names.map(() => '?')})`]
  }),
) as Readonly<Record<TableName, string>>

/** Saves some columns of a row, and returns the row with its new checksum. */
export function saveRow<Name extends keyof typeof keys, Row extends Summed<Name>>(
  connection: Connection,
  table: Name,
  row: Row,
  changes: Partial<Row>,
): Row & Checked {
  const saved = { ...row, ...changes, checksum: 0 }
  saved.checksum = rowSum(table, saved)
  const names = Object.keys(changes)
  const sql = updateSql(table, names)
  connection.run(sql, ...valuesOf(saved, names), saved.checksum, ...valuesOf(saved, keys[table]))
  return saved
}

function updateSql(table: keyof typeof keys, names: readonly string[]): string {
  const name = `${table} ${names}`
  const cached = updates.get(name)
  if (cached) return cached
  const equal = (names: readonly string[]) => names.map(name => `${name} = ?`)
  const sql = `UPDATE ${table} SET ${equal([...names, 'checksum'])} WHERE ${equal(keys[table]).join(' AND ')}`
  updates.set(name, sql)
  return sql
}

/** There are few ways in which the code changes rows. */
const updates = new Map<string, string>()

const valuesOf = (row: object, names: readonly string[]) =>
  names.map(name => (row as Readonly<Record<string, SqlValue>>)[name]!)
