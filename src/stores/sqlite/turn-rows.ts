import type { StoredTurn, TurnStatus } from '../store.ts'
import { withoutNulls } from '../without-nulls.ts'
import type { Connection } from './connection.ts'
import { type BranchRow, branchById } from './conversation-rows.ts'
import type { SqliteValue } from './driver.ts'
import { type Checked, insertRow, type RowOf, saveRow, sound } from './rows.ts'
import { damaged } from './sqlite-error.ts'

export type TurnRow = RowOf<'turns'> & { readonly status: TurnStatus }

/** A row as a turn. The last place of an open turn is the head: it is stored when the turn ends. */
export function toTurn(row: TurnRow, head: number): StoredTurn {
  const { turn, status, first, last, started_at: startedAt, ended_at: endedAt, error, key, body } = row
  const place = { first, last: status === 'open' ? head : last }
  return withoutNulls({ turn, status, ...place, startedAt, endedAt, error, key, body })
}

/** The turns of a branch. Turns of its shared past have no keys, and are cut where the branch was forked. */
export function turnsOf(connection: Connection, branch: BranchRow): StoredTurn[] {
  const sql = 'SELECT * FROM turns WHERE branch_id = ? AND first <= ? ORDER BY turn DESC'
  const turns: StoredTurn[] = []
  let limit = Number.MAX_SAFE_INTEGER
  for (let at: BranchRow | undefined = branch; at; ) {
    for (const row of connection.all<TurnRow & Checked>(sql, at.id, limit)) {
      const turn = toTurn(sound('turns', row), at.head)
      const { key: _, body: __, ...shared } = turn
      turns.push(at === branch ? turn : { ...shared, last: Math.min(turn.last, limit) })
    }
    limit = Math.min(limit, at.fork_at)
    at = at.parent_id === null || limit === 0 ? undefined : branchById(connection, at.parent_id)
  }
  turns.reverse()
  const isWhole = turns.length === branch.turns && turns.every(({ turn }, n) => turn === n + 1)
  if (!isWhole) throw damaged(connection.path, `the list of turns of branch "${branch.branch}"`)
  return turns
}

export const turnByKey = (connection: Connection, { id }: BranchRow, key: string) =>
  getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND key = ?', id, key)

export const turnByEpoch = (connection: Connection, { id }: BranchRow, epoch: number) =>
  getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND epoch = ? ORDER BY turn DESC', id, epoch)

export function turnByNumber(connection: Connection, { id, branch }: BranchRow, turn: number): TurnRow {
  const cached = connection.recall<TurnRow>(`turn of ${id}`)
  const row =
    cached?.turn === turn
      ? cached
      : getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND turn = ?', id, turn)
  if (row) return row
  throw damaged(connection.path, `turn ${turn} of branch "${branch}"`)
}

function getTurn(connection: Connection, sql: string, ...values: SqliteValue[]): TurnRow | undefined {
  const row = connection.get<TurnRow & Checked>(sql, ...values)
  return row && sound('turns', row)
}

export function insertTurn(connection: Connection, branchId: number, turn: StoredTurn, epoch: number): void {
  const { turn: number, status, first, last, startedAt, endedAt = null, error = null } = turn
  const { key = null, body = null } = turn
  const place = { branch_id: branchId, turn: number, status, first, last }
  const row = { ...place, started_at: startedAt, ended_at: endedAt, error, key, body, epoch }
  insertRow(connection, 'turns', row)
  remember(connection, row)
}

export const saveTurn = (connection: Connection, turn: TurnRow, changes: Partial<TurnRow>): TurnRow =>
  remember(connection, saveRow(connection, 'turns', turn, changes))

/** Remembers the turn of a branch that was written to last. */
const remember = (connection: Connection, row: TurnRow) =>
  connection.remember(`turn of ${row.branch_id}`, row)
