import { nameOf } from '../refusals.ts'
import type { Lease, ThreadKey } from '../store.ts'
import { ConflictError, NoConversationError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import { type ConversationRow, findConversation, insertConversation } from './conversation-rows.ts'
import { rowSum, type Summed, sound } from './row-sums.ts'
import { placeOf } from './schema.ts'
import { damaged } from './sqlite-error.ts'
import { verifyNames } from './verify-names.ts'

export interface BranchRow extends Summed<'branches'> {
  readonly id: number
  readonly conversation_id: number
  readonly actor: string
  readonly branch: string
  readonly parent_id: number | null
  readonly fork_at: number
  readonly head: number
  readonly turns: number
  readonly open_turn: number | null
  readonly owner: string | null
  readonly epoch: number
  readonly lease_until: number
  readonly updated_at: number
  readonly checksum: number
}

/** A stretch of a branch's entries, and the branch that wrote it. */
export interface Segment {
  readonly branchId: number
  readonly from: number
  readonly to: number
}

export function findBranch(connection: Connection, thread: ThreadKey): BranchRow | undefined {
  const conversation = findConversation(connection, thread)
  return conversation && branchOf(connection, conversation, thread)
}

/** The branch to write to; throws if it does not exist or was deleted. */
export function needBranch(connection: Connection, thread: ThreadKey): BranchRow {
  const conversation = findConversation(connection, thread)
  const branch = conversation && branchOf(connection, conversation, thread)
  if (branch) return branch
  throw new NoConversationError(thread.conversation, conversation ? conversation.deleted_at !== null : false)
}

/** Makes a branch. Call it inside a transaction, so that it is rolled back when the write is refused. */
export function makeBranch(connection: Connection, thread: ThreadKey, now: number): BranchRow {
  const found = findConversation(connection, thread)
  if (found && found.deleted_at !== null) throw new NoConversationError(thread.conversation, true)
  const conversation = found ?? insertConversation(connection, thread, now)
  return (
    branchOf(connection, conversation, thread) ??
    insertBranch(connection, {
      ...thread,
      conversationId: conversation.id,
      parent: null,
      at: 0,
      turns: 0,
      now,
    })
  )
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
): BranchRow {
  const { conversationId, actor, branch, parent, at, turns, now } = row
  const id = connection.run(
    `INSERT INTO branches (conversation_id, actor, branch, parent_id, fork_at, head, turns, updated_at, checksum)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0)`,
    ...[conversationId, actor, branch, parent, at, at, turns, now],
  )
  return saveBranch(connection, connection.get<BranchRow>('SELECT * FROM branches WHERE id = ?', id)!)
}

/** Saves the columns that may change. Its time never goes back, even if the clock does or a log from the future was restored. */
export function saveBranch(
  connection: Connection,
  branch: BranchRow,
  changes: Partial<BranchRow> = {},
): BranchRow {
  const row = { ...branch, ...changes, updated_at: Math.max(branch.updated_at, changes.updated_at ?? 0) }
  const { head, turns, open_turn: open, owner, epoch, lease_until: until, updated_at: updated, id } = row
  const checksum = rowSum('branches', row)
  connection.run(
    `UPDATE branches SET head = ?, turns = ?, open_turn = ?, owner = ?, epoch = ?, lease_until = ?, updated_at = ?,
       checksum = ? WHERE id = ?`,
    ...[head, turns, open, owner, epoch, until, updated, checksum, id],
  )
  return { ...row, checksum }
}

export function branchById(connection: Connection, id: number): BranchRow | undefined {
  const row = connection.get<BranchRow>('SELECT * FROM branches WHERE id = ?', id)
  return row && sound('branches', row, row.id === id)
}

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

function branchOf(
  connection: Connection,
  { id }: ConversationRow,
  { actor, branch }: ThreadKey,
): BranchRow | undefined {
  const sql = 'SELECT * FROM branches WHERE conversation_id = ? AND actor = ? AND branch = ?'
  const row = connection.get<BranchRow>(sql, id, actor, branch)
  if (!row) {
    verifyNames(connection)
    return undefined
  }
  sound('branches', row, row.conversation_id === id && row.actor === actor && row.branch === branch)
  // The row is older than its entries: the disk has lost a write. Its own checksum is good.
  const isBehind = connection.get('SELECT 1 FROM entries WHERE place = ?', placeOf(row.id, row.head + 1))
  if (isBehind) throw damaged(connection.path, `the head of branch "${row.branch}"`)
  return row
}
