import type { ConversationKey, StoredTurn, ThreadKey, TurnStatus } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { withoutNulls } from '../without-nulls.ts'
import type { Connection } from './connection.ts'
import type { SqliteValue } from './driver.ts'
import { type Checked, insertRow, type RowOf, saveRow, sound } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import { damaged } from './sqlite-error.ts'

export type ConversationRow = RowOf<'conversations'>

/** Finds a conversation by name, a deleted one too: its name stays. */
export function findConversation(
  connection: Connection,
  { tenant, conversation }: ConversationKey,
) {
  const sql = 'SELECT * FROM conversations WHERE tenant = ? AND conversation = ?'
  const row = connection.get<ConversationRow & Checked>(sql, tenant, conversation)
  if (row)
    return sound('conversations', row, row.tenant === tenant && row.conversation === conversation)
  verifyNames(connection)
  return undefined
}

export function conversationById(connection: Connection, id: number): ConversationRow | undefined {
  const row = connection.get<ConversationRow & Checked>(
    'SELECT * FROM conversations WHERE id = ?',
    id,
  )
  return row && sound('conversations', row, row.id === id)
}

function insertConversation(
  connection: Connection,
  { tenant, conversation }: ConversationKey,
  createdAt: number,
): ConversationRow {
  const names = { tenant, conversation, created_at: createdAt }
  const row = {
    ...names,
    deleted_at: null,
    title: null,
    metadata: null,
    person: null,
    used_at: null,
  }
  const id = insertRow(connection, 'conversations', { ...row, id: null })
  return saveRow(connection, 'conversations', { ...row, id }, {})
}

/** Checks all names once, before one counts as missing: damage must not hide a conversation. */
export function verifyNames(connection: Connection): void {
  if (verified.has(connection)) return
  for (const table of ['conversations', 'branches'] as const) {
    for (const row of connection.iterate(`SELECT * FROM ${table} NOT INDEXED`))
      sound(table, row as never)
    const [row] = connection.all<{ integrity_check: string }>(`PRAGMA integrity_check(${table})`)
    if (row?.integrity_check !== 'ok') throw damaged(connection.path, `the table of ${table}`)
  }
  verified.add(connection)
}

const verified = new WeakSet<Connection>()

export type BranchRow = RowOf<'branches'>

/** A stretch of a branch's entries, and the branch that wrote it. */
export interface Segment {
  readonly branchId: number
  readonly from: number
  readonly to: number
}

export function findBranch(connection: Connection, thread: ThreadKey): BranchRow | undefined {
  const { tenant, conversation, actor, branch } = thread
  // No name has NUL, so no other four names give the same key.
  const key = [tenant, conversation, actor, branch].join('\0')
  const cachedId = connection.recall<number>(key)
  if (cachedId !== undefined) return branchById(connection, cachedId)
  const { id, deleted_at: deletedAt } = findConversation(connection, thread) ?? {}
  if (id === undefined || deletedAt !== null) return undefined
  const sql = 'SELECT * FROM branches WHERE conversation_id = ? AND actor = ? AND branch = ?'
  const row = connection.get<BranchRow & Checked>(sql, id, actor, branch)
  if (!row) {
    verifyNames(connection)
    return undefined
  }
  sound('branches', row, row.conversation_id === id && row.actor === actor && row.branch === branch)
  const current = withHead(connection, row)
  // The row is older than its entries: the disk has lost a write. Its own checksum is good.
  const isBehind = connection.get(
    'SELECT 1 FROM entries WHERE place = ?',
    placeOf(row.id, current.head + 1),
  )
  if (isBehind) throw damaged(connection.path, `the head of branch "${row.branch}"`)
  connection.remember(key, row.id)
  return rememberBranch(connection, current)
}

export function branchById(connection: Connection, id: number): BranchRow | undefined {
  const cached = connection.recall<BranchRow>(`branch ${id}`)
  if (cached) return cached
  const row = connection.get<BranchRow & Checked>('SELECT * FROM branches WHERE id = ?', id)
  return (
    row && rememberBranch(connection, withHead(connection, sound('branches', row, row.id === id)))
  )
}

/** The row with its head as it is: while a turn is open, an append writes only entries, and the row is as of the last save. */
export function withHead(connection: Connection, row: BranchRow): BranchRow {
  if (row.open_turn === null) return row
  const sql = 'SELECT seq FROM entries WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT 1'
  const ends = [placeOf(row.id, row.head), placeOf(row.id, maxSeq)]
  const last = connection.get<{ seq: number }>(sql, ...ends)
  return last ? { ...row, head: last.seq } : row
}

export const rememberBranch = (connection: Connection, row: BranchRow) =>
  connection.remember(`branch ${row.id}`, row)

export function needBranch(connection: Connection, thread: ThreadKey): BranchRow {
  const branch = findBranch(connection, thread)
  if (branch) return branch
  refuseDeleted(connection, thread)
  throw new NoConversationError(thread.conversation, false)
}

/** Finds or makes a branch. Call it inside a transaction, so that it is rolled back when the write is refused. */
export function makeBranch(connection: Connection, thread: ThreadKey, now: number): BranchRow {
  const branch = findBranch(connection, thread)
  if (branch) return branch
  const { id } = refuseDeleted(connection, thread) ?? insertConversation(connection, thread, now)
  return insertBranch(connection, thread, { conversation_id: id, updated_at: now })
}

export function refuseDeleted(
  connection: Connection,
  thread: ThreadKey,
): ConversationRow | undefined {
  const conversation = findConversation(connection, thread)
  if (conversation && conversation.deleted_at !== null)
    throw new NoConversationError(thread.conversation, true)
  return conversation
}

/** Adds a branch. It is empty unless `more` says otherwise. */
export function insertBranch(
  connection: Connection,
  { actor, branch }: ThreadKey,
  more: Pick<BranchRow, 'conversation_id' | 'updated_at'> & Partial<BranchRow>,
): BranchRow {
  const empty = { actor, branch, parent_id: null, fork_at: 0, head: 0, turns: 0 }
  const row = { ...empty, open_turn: null, owner: null, epoch: 0, lease_until: 0, ...more }
  const id = insertRow(connection, 'branches', { ...row, id: null })
  return saveBranch(connection, { ...row, id })
}

/** Saves a branch's row. Its time never goes back, even if the clock does or a log from the future was restored. */
export function saveBranch(
  connection: Connection,
  branch: BranchRow,
  changes: Partial<BranchRow> = {},
) {
  const { head = branch.head, updated_at: time = 0 } = changes
  const all = { ...changes, head, updated_at: Math.max(branch.updated_at, time) }
  return rememberBranch(connection, saveRow(connection, 'branches', branch, all))
}

export function forkOf(connection: Connection, { parent_id: parent, fork_at: at }: BranchRow) {
  return parent === null ? undefined : { branch: branchById(connection, parent)!.branch, at }
}

/** A branch and those whose past it shares, newest first, each with the last place that is taken from it. */
function* lineageOf(
  connection: Connection,
  branch: BranchRow,
): Generator<readonly [BranchRow, to: number]> {
  let to = Number.MAX_SAFE_INTEGER
  for (let at: BranchRow | undefined = branch; at; ) {
    yield [at, to]
    to = Math.min(to, at.fork_at)
    at = at.parent_id === null || to === 0 ? undefined : branchById(connection, at.parent_id)
  }
}

export const segmentsOf = (connection: Connection, branch: BranchRow): Segment[] =>
  [...lineageOf(connection, branch)]
    .map(([{ id, fork_at }, to]) => ({
      branchId: id,
      from: fork_at + 1,
      to: Math.min(to, branch.head),
    }))
    .filter(({ from, to }) => from <= to)
    .reverse()

export type TurnRow = RowOf<'turns'> & { readonly status: TurnStatus }

/** A row as a turn. The last place of an open turn is the head: it is stored when the turn ends. */
export function toTurn(row: TurnRow, head: number): StoredTurn {
  const {
    turn,
    status,
    first,
    last,
    started_at: startedAt,
    ended_at: endedAt,
    error,
    key,
    body,
  } = row
  const place = { first, last: status === 'open' ? head : last }
  return withoutNulls({ turn, status, ...place, startedAt, endedAt, error, key, body })
}

/** The turns of a branch. Turns of its shared past have no keys, and are cut where the branch was forked. */
export function turnsOf(connection: Connection, branch: BranchRow): StoredTurn[] {
  const sql = 'SELECT * FROM turns WHERE branch_id = ? AND first <= ? ORDER BY turn DESC'
  const turns: StoredTurn[] = []
  for (const [at, to] of lineageOf(connection, branch))
    for (const row of connection.all<TurnRow & Checked>(sql, at.id, to)) {
      const turn = toTurn(sound('turns', row), at.head)
      const { key: _, body: __, ...shared } = turn
      turns.push(at === branch ? turn : { ...shared, last: Math.min(turn.last, to) })
    }
  turns.reverse()
  const isWhole = turns.length === branch.turns && turns.every(({ turn }, n) => turn === n + 1)
  if (!isWhole) throw damaged(connection.path, `the list of turns of branch "${branch.branch}"`)
  return turns
}

export const turnByKey = (connection: Connection, { id }: BranchRow, key: string) =>
  getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND key = ?', id, key)

export const turnByEpoch = (connection: Connection, { id }: BranchRow, epoch: number) =>
  getTurn(
    connection,
    'SELECT * FROM turns WHERE branch_id = ? AND epoch = ? ORDER BY turn DESC',
    id,
    epoch,
  )

export function turnByNumber(
  connection: Connection,
  { id, branch }: BranchRow,
  turn: number,
): TurnRow {
  const cached = connection.recall<TurnRow>(`turn of ${id}`)
  const row =
    cached?.turn === turn
      ? cached
      : getTurn(connection, 'SELECT * FROM turns WHERE branch_id = ? AND turn = ?', id, turn)
  if (row) return row
  throw damaged(connection.path, `turn ${turn} of branch "${branch}"`)
}

function getTurn(
  connection: Connection,
  sql: string,
  ...values: SqliteValue[]
): TurnRow | undefined {
  const row = connection.get<TurnRow & Checked>(sql, ...values)
  return row && sound('turns', row)
}

export function insertTurn(
  connection: Connection,
  branchId: number,
  turn: StoredTurn,
  epoch: number,
): void {
  const { turn: number, status, first, last, startedAt, endedAt = null, error = null } = turn
  const { key = null, body = null } = turn
  const place = { branch_id: branchId, turn: number, status, first, last }
  const row = { ...place, started_at: startedAt, ended_at: endedAt, error, key, body, epoch }
  insertRow(connection, 'turns', row)
  remember(connection, row)
}

export const saveTurn = (
  connection: Connection,
  turn: TurnRow,
  changes: Partial<TurnRow>,
): TurnRow => remember(connection, saveRow(connection, 'turns', turn, changes))

/** Remembers the turn of a branch that was written to last. */
const remember = (connection: Connection, row: TurnRow) =>
  connection.remember(`turn of ${row.branch_id}`, row)
