import { planRestore, timesOf } from '../rules/plan-restore.ts'
import { branchExists, forkedElsewhere, noParent, notAPlace } from '../rules/refusals.ts'
import { isForkPlace } from '../rules/write-rules.ts'
import type { RestoreEntries, Store, ThreadKey } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { stateOf } from './branch-state.ts'
import { deleteCalls } from './call-rows.ts'
import type { Connection } from './connection.ts'
import {
  type BranchRow,
  branchById,
  findBranch,
  findConversation,
  insertBranch,
  makeBranch,
  needBranch,
  refuseDeleted,
  saveBranch,
} from './conversation-rows.ts'
import { insertEntry, readEntries } from './entry-rows.ts'
import { saveRow } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { insertTurn, turnsOf } from './turn-rows.ts'
import { forgetEntries, queueEntry, rebuildWordIndex, reindexEntry } from './word-index.ts'

/** Writes of whole branches: forks, restored stretches, deletions. */
export function sqliteWrites(
  context: SqliteContext,
): Pick<Store, 'fork' | 'restore' | 'deleteCalls' | 'deleteConversation' | 'erase'> {
  const { now, leases, isIndexed, spare } = context

  /** Deletes, on a full disk with the room that is kept for it. */
  async function whenFull<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      if (!isStoreFull(error)) throw error
      spare.release()
      emptyLog()
      return await work()
    } finally {
      spare.keep()
    }
  }

  /** Texts that are deleted are overwritten in the file; the write-ahead log must not keep them either. */
  function emptyLog(isLast = false): void {
    try {
      context.ready().exec('PRAGMA wal_checkpoint(TRUNCATE)')
    } catch (error) {
      if (!isStoreFull(error)) throw error
      spare.release()
      // What is deleted is deleted: without any room the log is emptied the next time.
      if (!isLast) emptyLog(true)
    }
  }

  return {
    async fork(thread, { at, branch }) {
      await context.write(thread, connection => {
        const source = needBranch(connection, thread)
        const existing = findBranch(connection, { ...thread, branch })
        if (existing && existing.parent_id === source.id && existing.fork_at === at) return
        if (existing) throw branchExists(branch)
        addFork(connection, thread, source, branch, at, now())
      })
    },
    async restore(thread, stretch) {
      return context.write(thread, connection => {
        const branch = branchFor(connection, thread, stretch, now())
        const fresh = planRestore(stateOf(connection, thread, branch, leases), stretch)
        const times = timesOf(fresh)
        // No entries or turns are new, at most the branch itself.
        if (!times) return { head: branch.head }
        for (const entry of fresh.entries) {
          insertEntry(connection, branch.id, entry)
          if (isIndexed()) queueEntry(connection, branch.id, entry)
        }
        // Restored turns have no holder: the former holders work on another store.
        const epoch = branch.epoch + 1
        for (const turn of fresh.turns)
          insertTurn(connection, branch.id, turn, turn.status === 'open' ? epoch : 0)
        const last = fresh.turns.at(-1)
        const open = last?.status === 'open' ? last.turn : null
        const head = branch.head + fresh.entries.length
        const turns = { turns: last?.turn ?? branch.turns, open_turn: open, owner: '', epoch, lease_until: 0 }
        saveBranch(connection, branch, { head, ...turns, updated_at: times.last })
        return { head }
      })
    },
    async deleteCalls(tenant, before) {
      const work = (connection: Connection) => deleteCalls(connection, tenant, before)
      return whenFull(() =>
        context.write({ tenant, conversation: '' }, work, {
          onCommit(count) {
            if (count > 0) emptyLog()
          },
        }),
      )
    },
    async erase(thread, seq, { payload, tokens }) {
      const work = (connection: Connection) => {
        const branch = needBranch(connection, thread)
        const [row] = readEntries(connection, branch, { from: seq, to: seq })
        if (!row) return false
        const change = () =>
          void saveRow(connection, 'entries', row, { payload, tokens: JSON.stringify(tokens) })
        if (!isIndexed()) change()
        else if (!reindexEntry(connection, row.place, change)) rebuildWordIndex(connection)
        const sql = 'SELECT * FROM branches WHERE conversation_id = ? AND actor = ?'
        for (const { id } of connection.all<BranchRow>(sql, branch.conversation_id, thread.actor)) {
          connection.run('DELETE FROM caches WHERE branch_id = ?', id)
          connection.run('DELETE FROM calls WHERE branch_id = ? AND turn >= ?', id, row.turn)
        }
        connection.forget()
        return true
      }
      return whenFull(() =>
        context.write(thread, work, {
          onCommit(isDone) {
            if (isDone) emptyLog()
          },
        }),
      )
    },
    /** Sets the tombstone, without which no entry can go, and removes everything in one transaction. */
    async deleteConversation(tenant, conversation, { unusedSince } = {}) {
      const work = (connection: Connection) => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) return undefined
        // Forks first: they refer to the branches that they were forked from.
        const branches = connection.all<BranchRow>(branchesSql, row.id)
        const isUsed = (since: number) =>
          row.created_at >= since ||
          (row.used_at ?? 0) >= since ||
          branches.some(
            branch =>
              Math.max(branch.updated_at, context.appendedAt.get(branch.id) ?? 0) >= since ||
              (branch.open_turn !== null && leases.heldMs(branch) > 0),
          )
        if (unusedSince !== undefined && isUsed(unusedSince)) return undefined
        const gone = { title: null, metadata: null, person: null, used_at: null }
        saveRow(connection, 'conversations', row, { ...gone, deleted_at: context.now() })
        const isForgotten = !context.isIndexed() || branches.every(({ id }) => forgetEntries(connection, id))
        for (const { id } of branches) removeBranch(connection, id)
        if (!isForgotten) rebuildWordIndex(connection)
        if (unusedSince !== undefined) connection.run('DELETE FROM conversations WHERE id = ?', row.id)
        connection.forget()
        return branches
      }
      const deleted = await whenFull(() =>
        context.write({ tenant, conversation }, work, {
          onCommit(branches) {
            for (const { id } of branches ?? []) leases.take(id)
            if (branches) emptyLog()
          },
        }),
      )
      return deleted !== undefined
    },
  }

  function addFork(
    connection: Connection,
    thread: ThreadKey,
    source: BranchRow,
    branch: string,
    at: number,
    time: number,
  ): BranchRow {
    if (!isForkPlace(stateOf(connection, thread, source, leases), at)) throw notAPlace(at)
    const turns = turnsOf(connection, source).filter(({ first }) => first <= at).length
    const { id: parent, conversation_id } = source
    const place = { parent_id: parent, fork_at: at, head: at, turns }
    return insertBranch(connection, { ...thread, branch }, { conversation_id, ...place, updated_at: time })
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
    return addFork(connection, thread, parent, thread.branch, forkOf.at, time)
  }
}

const isStoreFull = (error: unknown) => error instanceof StoreError && error.code === 'store_full'

const branchesSql = 'SELECT * FROM branches WHERE conversation_id = ? ORDER BY id DESC'

function removeBranch(connection: Connection, id: number): void {
  connection.run('DELETE FROM entries WHERE place BETWEEN ? AND ?', placeOf(id, 0), placeOf(id, maxSeq))
  for (const table of ['turns', 'calls', 'caches', 'marks'])
    connection.run(`DELETE FROM ${table} WHERE branch_id = ?`, id)
  connection.run('DELETE FROM branches WHERE id = ?', id)
}
