import { checkNames, checkThread } from '../check-input.ts'
import { nameOf } from '../refusals.ts'
import type { ConversationInfo, Head, Store } from '../store.ts'
import { type BranchRow, branchById, findBranch } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { toEntry } from './entry-rows.ts'
import { readEntries } from './read-entries.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toTurn, turnByNumber, turnsOf } from './turn-rows.ts'

export function sqliteReads(
  context: SqliteContext,
): Pick<Store, 'head' | 'entries' | 'turns' | 'conversations'> {
  return {
    async head(thread) {
      checkThread(thread)
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch && toHead(connection, branch, context.now())
    },
    async *entries(thread, range = {}) {
      checkThread(thread)
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      if (!branch) return
      for (const row of readEntries(connection, branch, range)) yield toEntry(row, nameOf(thread))
    },
    async turns(thread) {
      checkThread(thread)
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch ? turnsOf(connection, branch) : []
    },
    async conversations(tenant, { after, limit = -1 } = {}) {
      checkNames({ tenant })
      const connection = context.ready()
      const rows =
        after === undefined
          ? connection.all<ConversationRow>(listSql(''), tenant, limit)
          : connection.all<ConversationRow>(listSql('AND conversation > ?'), tenant, after, limit)
      return rows.map(row => toInfo(connection, row))
    },
  }
}

function toHead(connection: Connection, branch: BranchRow, now: number): Head {
  const { head, turns, open_turn: open, owner, epoch, lease_until: leaseUntil, parent_id: parent } = branch
  return {
    head,
    turns,
    ...(open !== null && {
      open: {
        ...toTurn(turnByNumber(connection, branch, open), head),
        lease: { owner: owner!, epoch },
        leaseUntil,
        isExpired: now >= leaseUntil,
      },
    }),
    ...(parent !== null && {
      forkOf: { branch: branchById(connection, parent)!.branch, at: branch.fork_at },
    }),
  }
}

interface ConversationRow {
  readonly id: number
  readonly conversation: string
  readonly created_at: number
}

const listSql = (after: string) =>
  `SELECT id, conversation, created_at FROM conversations WHERE tenant = ? ${after} AND deleted_at IS NULL
   ORDER BY conversation LIMIT ?`

function toInfo(
  connection: Connection,
  { id, conversation, created_at: createdAt }: ConversationRow,
): ConversationInfo {
  const rows = connection.all<{ actor: string; branch: string; head: number; updated_at: number }>(
    'SELECT actor, branch, head, updated_at FROM branches WHERE conversation_id = ? ORDER BY actor, branch',
    id,
  )
  const threads = rows.map(({ actor, branch, head }) => ({ actor, branch, head }))
  return {
    conversation,
    createdAt,
    updatedAt: rows.reduce((newest, row) => Math.max(newest, row.updated_at), createdAt),
    threads,
  }
}
