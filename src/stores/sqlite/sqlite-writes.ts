import { branchExists, notAPlace, turnOpen } from '../refusals.ts'
import type { Store, ThreadKey } from '../store.ts'
import {
  type BranchRow,
  expectHead,
  findBranch,
  insertBranch,
  makeBranch,
  needBranch,
  saveBranch,
} from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { insertEntries, newOnes } from './entry-rows.ts'
import { readEntries } from './read-entries.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { turnByNumber, turnsOf } from './turn-rows.ts'

/** Writes outside of turns: seeded entries and forks. */
export function sqliteWrites(context: SqliteContext): Pick<Store, 'seed' | 'fork'> {
  const { now, leases } = context
  return {
    async seed(thread, { expectedHead, entries }) {
      const connection = context.ready()
      return connection.write(() => {
        const branch = makeBranch(connection, thread, now())
        const fresh = newOnes(connection, branch, entries)
        if (entries.length > 0 && fresh.length === 0) return { head: branch.head }
        if (branch.open_turn !== null) throw turnOpen(thread, branch.open_turn, leases.heldMs(branch))
        expectHead(thread, branch, expectedHead)
        const head = insertEntries(connection, branch, 0, fresh, context.queue())
        saveBranch(connection, branch, { head, updated_at: now() })
        return { head }
      })
    },
    async fork(thread, { at, branch: name }) {
      const connection = context.ready()
      connection.write(() => {
        const source = needBranch(connection, thread)
        const existing = findBranch(connection, { ...thread, branch: name })
        if (existing && existing.parent_id === source.id && existing.fork_at === at) return
        if (existing) throw branchExists(name)
        addFork(connection, source, { ...thread, branch: name }, at, now())
      })
    },
  }
}

export function addFork(
  connection: Connection,
  source: BranchRow,
  { actor, branch }: ThreadKey,
  at: number,
  now: number,
): void {
  if (!isForkPlace(connection, source, at)) throw notAPlace(at)
  const turns = turnsOf(connection, source).filter(({ first }) => first <= at).length
  const { id: parent, conversation_id: conversationId } = source
  insertBranch(connection, { conversationId, actor, branch, parent, at, turns, now })
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
