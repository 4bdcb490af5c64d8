import type { StoredTurn, TurnStatus } from '../store.ts'
import { type BranchRow, branchById } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import type { SqliteValue } from './driver.ts'
import { rowSum, type Summed, sound } from './row-sums.ts'
import { damaged } from './sqlite-error.ts'

export interface TurnRow extends Summed<'turns'> {
  readonly branch_id: number
  readonly turn: number
  readonly status: TurnStatus
  readonly first: number
  readonly last: number
  readonly started_at: number
  readonly ended_at: number | null
  readonly error: string | null
  readonly key: string | null
  readonly body: string | null
  readonly owner: string
  readonly epoch: number
  readonly checksum: number
}

/** A row as a turn. The last place of an open turn is the head: it is stored when the turn ends. */
export function toTurn(row: TurnRow, head: number): StoredTurn {
  const { turn, status, first, last, started_at: startedAt, ended_at: endedAt, error, key, body } = row
  return {
    turn,
    status,
    first,
    last: status === 'open' ? head : last,
    startedAt,
    ...(endedAt !== null && { endedAt }),
    ...(error !== null && { error }),
    ...(key !== null && { key }),
    ...(body !== null && { body }),
  }
}

/** The turns of a branch. Turns of its shared past have no keys, and are cut where the branch was forked. */
export function turnsOf(connection: Connection, branch: BranchRow): StoredTurn[] {
  const sql = 'SELECT * FROM turns WHERE branch_id = ? AND first <= ? ORDER BY turn DESC'
  const own = connection.all<TurnRow>('SELECT * FROM turns WHERE branch_id = ? ORDER BY turn DESC', branch.id)
  const turns = own.map(row => toTurn(sound('turns', row), branch.head))
  let limit = branch.fork_at
  for (let id = branch.parent_id; id !== null && limit > 0; ) {
    const parent: BranchRow = branchById(connection, id)!
    for (const row of connection.all<TurnRow>(sql, id, limit)) {
      const { key: _, body: __, ...turn } = toTurn(sound('turns', row), parent.head)
      turns.push({ ...turn, last: Math.min(turn.last, limit) })
    }
    limit = Math.min(limit, parent.fork_at)
    id = parent.parent_id
  }
  turns.reverse()
  const isWhole = turns.length === branch.turns && turns.every(({ turn }, n) => turn === n + 1)
  if (!isWhole) throw damaged(connection.path, `the list of turns of branch "${branch.branch}"`)
  return turns
}

export const turnByKey = (connection: Connection, branch: BranchRow, key: string) =>
  getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND key = ?', branch.id, key)

export const turnByEpoch = (connection: Connection, branch: BranchRow, epoch: number) =>
  getTurn(
    connection,
    'SELECT * FROM turns WHERE branch_id = ? AND epoch = ? ORDER BY turn DESC',
    branch.id,
    epoch,
  )

export function turnByNumber(connection: Connection, branch: BranchRow, turn: number): TurnRow {
  const row = getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND turn = ?', branch.id, turn)
  if (row) return row
  throw damaged(connection.path, `turn ${turn} of branch "${branch.branch}"`)
}

function getTurn(connection: Connection, sql: string, ...values: SqliteValue[]): TurnRow | undefined {
  const row = connection.get<TurnRow>(sql, ...values)
  return row && sound('turns', row)
}

export function insertTurn(
  connection: Connection,
  branchId: number,
  turn: StoredTurn,
  { owner, epoch }: { readonly owner: string; readonly epoch: number },
): void {
  const { turn: number, status, first, last, startedAt, endedAt = null, error = null } = turn
  const { key = null, body = null } = turn
  const place = { branch_id: branchId, turn: number, status, first, last }
  const row = { ...place, started_at: startedAt, ended_at: endedAt, error, key, body, owner, epoch }
  connection.run(
    `INSERT INTO turns (branch_id, turn, status, first, last, started_at, ended_at, error, key, body, owner, epoch,
       checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[branchId, number, status, first, last, startedAt, endedAt, error, key, body, owner, epoch],
    rowSum('turns', row),
  )
}

export function saveTurn(connection: Connection, turn: TurnRow, changes: Partial<TurnRow>): TurnRow {
  const row = { ...turn, ...changes }
  const { status, last, ended_at: ended, error, owner, epoch, branch_id: branchId, turn: number } = row
  const checksum = rowSum('turns', row)
  connection.run(
    `UPDATE turns SET status = ?, last = ?, ended_at = ?, error = ?, owner = ?, epoch = ?, checksum = ?
     WHERE branch_id = ? AND turn = ?`,
    ...[status, last, ended, error, owner, epoch, checksum, branchId, number],
  )
  return { ...row, checksum }
}

export function closeTurn(
  connection: Connection,
  branch: BranchRow,
  turn: number,
  end: {
    readonly status: TurnStatus
    readonly last: number
    readonly endedAt: number
    readonly error?: string
  },
): void {
  const { status, last, endedAt, error = null } = end
  saveTurn(connection, turnByNumber(connection, branch, turn), { status, last, ended_at: endedAt, error })
}
