import { planRestore, type Stored, timesOf } from '../plan-restore.ts'
import { forkedElsewhere, nameOf, noParent } from '../refusals.ts'
import type { RestoreEntries, ThreadKey } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import {
  type BranchRow,
  branchById,
  findBranch,
  makeBranch,
  needBranch,
  saveBranch,
  segmentsOf,
} from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { findConversation } from './conversation-rows.ts'
import { insertEntry, seqOf, toEntry } from './entry-rows.ts'
import { readEntries } from './read-entries.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { addFork } from './sqlite-writes.ts'
import { insertTurn, turnByKey, turnsOf } from './turn-rows.ts'

export function sqliteRestore(
  context: SqliteContext,
  thread: ThreadKey,
  stretch: RestoreEntries,
): { head: number } {
  const connection = context.ready()
  context.held.delete(thread)
  return connection.write(() => {
    const branch = branchFor(connection, thread, stretch, context.now())
    const fresh = planRestore(thread, stretch, storedOf(connection, thread, branch))
    const times = timesOf(fresh)
    // No entries or turns are new, at most the branch itself.
    if (!times) return { head: branch.head }
    for (const entry of fresh.entries)
      insertEntry(connection, branch.id, entry.seq, entry.turn, entry, context.queue())
    // Nobody holds the turns: their leases have run out, and their former holders work on another store.
    let { epoch } = branch
    for (const turn of fresh.turns) insertTurn(connection, branch.id, turn, { owner: '', epoch: ++epoch })
    const last = fresh.turns.at(-1)
    const open = last?.status === 'open' ? last.turn : null
    const head = branch.head + fresh.entries.length
    const turns = { turns: last?.turn ?? branch.turns, open_turn: open, owner: '', epoch, lease_until: 0 }
    saveBranch(connection, branch, { head, ...turns, updated_at: times.last })
    return { head }
  })
}

/** The existing branch, or a new one: empty, or with its shared past. */
function branchFor(
  connection: Connection,
  thread: ThreadKey,
  stretch: RestoreEntries,
  now: number,
): BranchRow {
  const { forkOf } = stretch
  const conversation = findConversation(connection, thread)
  if (conversation && conversation.deleted_at !== null)
    throw new NoConversationError(thread.conversation, true)
  const existing = findBranch(connection, thread)
  // A branch without entries of its own does not make the conversation newer.
  const time = conversation?.created_at ?? timesOf(stretch)?.first ?? now
  if (!forkOf) return existing ?? makeBranch(connection, thread, time)
  if (existing) {
    const parent = existing.parent_id === null ? undefined : branchById(connection, existing.parent_id)
    if (parent?.branch === forkOf.branch && existing.fork_at === forkOf.at) return existing
    throw forkedElsewhere(thread.branch)
  }
  const parent = findBranch(connection, { ...thread, branch: forkOf.branch })
  if (!parent) throw noParent(forkOf.branch)
  addFork(connection, parent, thread, forkOf.at, time)
  return needBranch(connection, thread)
}

function storedOf(connection: Connection, thread: ThreadKey, branch: BranchRow): Stored {
  const segments = segmentsOf(connection, branch)
  return {
    head: branch.head,
    turns: branch.turns,
    open: branch.open_turn ?? undefined,
    *entries(from, to) {
      for (const row of readEntries(connection, branch, { from, to })) yield toEntry(row, nameOf(thread))
    },
    turnsFrom: turn => turnsOf(connection, branch).filter(stored => stored.turn >= turn),
    seqOf: id => seqOf(connection, segments, id),
    hasKey: key => turnByKey(connection, branch, key) !== undefined,
  }
}
