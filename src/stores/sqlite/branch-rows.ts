import { nameOf } from '../refusals.ts'
import type { Lease, ThreadKey } from '../store.ts'
import { ConflictError, NoConversationError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import type { HeldTurns } from './held-turns.ts'

export interface BranchRow {
  readonly id: number
  readonly conversation_id: number
  readonly branch: string
  readonly parent_id: number | null
  readonly fork_at: number
  readonly head: number
  readonly turns: number
  readonly open_turn: number | null
  readonly owner: string | null
  readonly epoch: number
  readonly lease_until: number
}

interface NamedRow extends Omit<BranchRow, 'id'> {
  readonly id: number | null
  readonly found: number
  readonly deleted_at: number | null
}

/** A part of a branch's past, and the branch that wrote it. */
export interface Segment {
  readonly branchId: number
  readonly from: number
  readonly to: number
}

export function findBranch(connection: Connection, thread: ThreadKey): BranchRow | undefined {
  const row = named(connection, thread)
  return row?.id ? (row as BranchRow) : undefined
}

/** The branch to write to; refused where it never was or was deleted. */
export function needBranch(connection: Connection, thread: ThreadKey): BranchRow {
  const row = named(connection, thread)
  if (row?.id) return row as BranchRow
  throw new NoConversationError(thread.conversation, row ? row.deleted_at !== null : false)
}

/** Inside of a transaction: what is made here goes again when the write is refused. */
export function makeBranch(connection: Connection, thread: ThreadKey, now: number): BranchRow {
  const row = named(connection, thread)
  if (row && row.deleted_at !== null) throw new NoConversationError(thread.conversation, true)
  if (row?.id) return row as BranchRow
  const { tenant, conversation } = thread
  const conversationId =
    row?.found ??
    connection.run(
      'INSERT INTO conversations (tenant, conversation, created_at) VALUES (?, ?, ?)',
      tenant,
      conversation,
      now,
    )
  insertBranch(connection, { ...thread, conversationId, parent: null, at: 0, turns: 0, now })
  return needBranch(connection, thread)
}

export function insertBranch(
  connection: Connection,
  row: {
    conversationId: number
    actor: string
    branch: string
    parent: number | null
    at: number
    turns: number
    now: number
  },
): void {
  const { conversationId, actor, branch, parent, at, turns, now } = row
  connection.run(
    `INSERT INTO branches (conversation_id, actor, branch, parent_id, fork_at, head, turns, updated_at)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[conversationId, actor, branch, parent, at, at, turns, now],
  )
}

/** A clock that goes back, or a log restored from the future, does not make a branch older. */
export function setHead(connection: Connection, id: number, head: number, now: number): void {
  const sql = 'UPDATE branches SET head = ?, updated_at = max(updated_at, ?) WHERE id = ?'
  connection.run(sql, head, now, id)
}

export const branchById = (connection: Connection, id: number) =>
  connection.get<BranchRow>('SELECT * FROM branches WHERE id = ?', id)

/** Who wrote what of a branch, from its first entry on. */
export function segmentsOf(connection: Connection, branch: BranchRow): Segment[] {
  const segments: Segment[] = []
  let to = branch.head
  for (let at: BranchRow | undefined = branch; at; ) {
    if (to > at.fork_at) segments.unshift({ branchId: at.id, from: at.fork_at + 1, to })
    to = Math.min(to, at.fork_at)
    at = at.parent_id === null || to === 0 ? undefined : branchById(connection, at.parent_id)
  }
  return segments
}

export function expectHead(thread: ThreadKey, { head }: BranchRow, expected: number): void {
  if (expected !== head) throw new ConflictError(nameOf(thread), expected, head)
}

export const isHeldBy = ({ open_turn: open, owner, epoch }: BranchRow, lease: Lease) =>
  open !== null && owner === lease.owner && epoch === lease.epoch

/** Remembers the open turn of a branch, as committed. Not that of a fork: its new entries must be looked up in two. */
export function holdTurn(held: HeldTurns, thread: ThreadKey, branch: BranchRow): void {
  const { id: branchId, head, open_turn: turn, owner, epoch, parent_id: parent } = branch
  if (turn === null || owner === null || parent !== null) held.delete(thread)
  else held.set(thread, { branchId, head, turn, lease: { owner, epoch } })
}

function named(
  connection: Connection,
  { tenant, conversation, actor, branch }: ThreadKey,
): NamedRow | undefined {
  return connection.get<NamedRow>(
    `SELECT branches.*, conversations.id AS found, deleted_at FROM conversations
     LEFT JOIN branches ON conversation_id = conversations.id AND actor = ? AND branch = ?
     WHERE tenant = ? AND conversation = ?`,
    ...[actor, branch, tenant, conversation],
  )
}
