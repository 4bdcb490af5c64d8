import { planRestore, type Stored, timesOf } from '../plan-restore.ts'
import { branchExists, forkedElsewhere, nameOf, noParent, notAPlace, turnOpen } from '../refusals.ts'
import type { RestoreEntries, Store, ThreadKey } from '../store.ts'
import { deleteCalls } from './call-rows.ts'
import type { Connection } from './connection.ts'
import {
  type BranchRow,
  branchById,
  expectHead,
  findBranch,
  findConversation,
  insertBranch,
  makeBranch,
  needBranch,
  refuseDeleted,
  saveBranch,
  segmentsOf,
} from './conversation-rows.ts'
import { addEntries, insertEntry, readEntries, seqOf, toEntry } from './entry-rows.ts'
import { saveRow } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { insertTurn, turnByKey, turnByNumber, turnsOf } from './turn-rows.ts'
import { forgetEntries, queueEntry, rebuildWordIndex } from './word-index.ts'

/** Writes outside of turns: seeded and restored entries, forks, deletions. */
export function sqliteWrites(
  context: SqliteContext,
): Pick<Store, 'seed' | 'fork' | 'restore' | 'deleteCalls' | 'deleteConversation'> {
  const { now, leases, isIndexed } = context
  /** Texts that are deleted are overwritten in the file; the write-ahead log must not keep them either. */
  const emptyLog = () => context.ready().exec('PRAGMA wal_checkpoint(TRUNCATE)')
  return {
    async seed(thread, { expectedHead, entries }) {
      return context.write(thread, connection => {
        const branch = makeBranch(connection, thread, now())
        const head = addEntries(connection, branch, 0, entries, isIndexed())
        if (entries.length > 0 && head === branch.head) return { head }
        if (branch.open_turn !== null) throw turnOpen(thread, branch.open_turn, leases.heldMs(branch))
        expectHead(thread, branch, expectedHead)
        saveBranch(connection, branch, { head, updated_at: now() })
        return { head }
      })
    },
    async fork(thread, { at, branch }) {
      await context.write(thread, connection => {
        const source = needBranch(connection, thread)
        const existing = findBranch(connection, { ...thread, branch })
        if (existing && existing.parent_id === source.id && existing.fork_at === at) return
        if (existing) throw branchExists(branch)
        addFork(connection, source, { ...thread, branch }, at, now())
      })
    },
    async restore(thread, stretch) {
      return context.write(thread, connection => {
        const branch = branchFor(connection, thread, stretch, now())
        const fresh = planRestore(thread, stretch, storedOf(connection, thread, branch))
        const times = timesOf(fresh)
        // No entries or turns are new, at most the branch itself.
        if (!times) return { head: branch.head }
        for (const entry of fresh.entries) {
          insertEntry(connection, branch.id, entry)
          if (isIndexed()) queueEntry(connection, branch.id, entry)
        }
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
    },
    async deleteCalls(tenant, before) {
      const count = await context.write({ tenant, conversation: '' }, connection =>
        deleteCalls(connection, tenant, before),
      )
      if (count > 0) emptyLog()
      return count
    },
    /** Sets the tombstone and removes everything in one transaction. */
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const work = (connection: Connection) => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) return undefined
        // Forks first: they refer to the branches that they were forked from.
        const branches = connection.all<BranchRow>(branchesSql, row.id)
        const isUsed = (since: number) =>
          row.created_at >= since ||
          branches.some(
            branch =>
              Math.max(branch.updated_at, context.appendedAt.get(branch.id) ?? 0) >= since ||
              (branch.open_turn !== null && leases.heldMs(branch) > 0),
          )
        if (unusedSince !== undefined && isUsed(unusedSince)) return undefined
        const tombstone = { deleted_at: context.now(), title: null, metadata: null }
        saveRow(connection, 'conversations', row, tombstone)
        const isForgotten = !context.isIndexed() || branches.every(({ id }) => forgetEntries(connection, id))
        for (const { id } of branches) removeBranch(connection, id)
        if (!isForgotten) rebuildWordIndex(connection)
        connection.forget()
        return branches
      }
      const deleted = await context.write({ tenant, conversation }, work, branches => {
        for (const { id } of branches ?? []) leases.take(id)
      })
      if (!deleted) return false
      emptyLog()
      return true
    },
  }
}

function addFork(
  connection: Connection,
  source: BranchRow,
  thread: ThreadKey,
  at: number,
  now: number,
): BranchRow {
  if (!isForkPlace(connection, source, at)) throw notAPlace(at)
  const turns = turnsOf(connection, source).filter(({ first }) => first <= at).length
  const { id: parent, conversation_id } = source
  const place = { parent_id: parent, fork_at: at, head: at, turns }
  return insertBranch(connection, thread, { conversation_id, ...place, updated_at: now })
}

/** Whether a branch may be forked here: between closed turns, or just before a user entry that is to be edited. */
function isForkPlace(connection: Connection, branch: BranchRow, at: number): boolean {
  if (!Number.isInteger(at) || at < 0 || at > branch.head) return false
  if (branch.open_turn !== null && at >= turnByNumber(connection, branch, branch.open_turn).first)
    return false
  if (at === 0 || at === branch.head) return true
  const [before, after] = [...readEntries(connection, branch, { from: at, to: at + 1 })]
  return before!.turn === 0 || before!.turn !== after!.turn || after!.role === 'user'
}

/** The existing branch, or a new one: empty, or with its shared past. */
function branchFor(
  connection: Connection,
  thread: ThreadKey,
  stretch: RestoreEntries,
  now: number,
): BranchRow {
  const { forkOf } = stretch
  const conversation = refuseDeleted(connection, thread)
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
  return addFork(connection, parent, thread, forkOf.at, time)
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

const branchesSql = 'SELECT * FROM branches WHERE conversation_id = ? ORDER BY id DESC'

function removeBranch(connection: Connection, id: number): void {
  connection.run('DELETE FROM entries WHERE place BETWEEN ? AND ?', placeOf(id, 0), placeOf(id, maxSeq))
  for (const table of ['turns', 'calls', 'caches', 'marks'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}
