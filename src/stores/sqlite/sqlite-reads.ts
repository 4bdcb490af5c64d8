import { nameOf } from '../refusals.ts'
import type { Head, Store } from '../store.ts'
import { type BranchRow, branchById, findBranch } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { readEntries, toEntry } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toTurn, turnByNumber, turnsOf } from './turn-rows.ts'

export function sqliteReads(context: SqliteContext): Pick<Store, 'head' | 'entries' | 'turns'> {
  return {
    async head(thread) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch && toHead(connection, branch, context.leases.heldMs(branch))
    },
    async *entries(thread, range = {}) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      if (!branch) return
      for (const row of readEntries(connection, branch, range)) yield toEntry(row, nameOf(thread))
    },
    async turns(thread) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch ? turnsOf(connection, branch) : []
    },
  }
}

function toHead(connection: Connection, branch: BranchRow, expiresInMs: number): Head {
  const { head, turns, open_turn: open, owner, epoch, parent_id: parent } = branch
  return {
    head,
    turns,
    ...(open !== null && {
      open: {
        ...toTurn(turnByNumber(connection, branch, open), head),
        lease: { owner: owner!, epoch },
        expiresInMs,
      },
    }),
    ...(parent !== null && {
      forkOf: { branch: branchById(connection, parent)!.branch, at: branch.fork_at },
    }),
  }
}
