import { toDescription } from '../check-input.ts'
import { nameOf } from '../refusals.ts'
import type { ConversationInfo, Head, ListConversations, Store } from '../store.ts'
import { NoConversationError } from '../store-error.ts'
import { type BranchRow, branchById, findBranch } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { type ConversationRow, findConversation, verifyNames } from './conversation-rows.ts'
import type { SqliteValue } from './driver.ts'
import { readEntries, toEntry } from './entry-rows.ts'
import { type Checked, saveRow, sound } from './rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toTurn, turnByNumber, turnsOf } from './turn-rows.ts'

type Reads = Pick<Store, 'head' | 'entries' | 'turns' | 'conversations' | 'describeConversation'>

/** Reads threads, and lists and describes conversations. */
export function sqliteReads(context: SqliteContext): Reads {
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
    async conversations(tenant, options = {}) {
      const connection = context.ready()
      verifyNames(connection)
      const rows = connection.all<ListedRow>(listSql(options), tenant, ...placesOf(options))
      return rows.map(row => toInfo(connection, row))
    },
    async describeConversation(tenant, conversation, description) {
      const given = toDescription(description)
      context.write(connection => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) throw new NoConversationError(conversation, row !== undefined)
        saveRow(connection, 'conversations', { ...row, ...withoutUndefined(given) })
      })
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

/** Sorts without an index: it would be written with every append, and 10,000 rows are sorted in some milliseconds. */
function listSql({ only, after, order = 'recent' }: ListConversations): string {
  const [where, by] =
    order === 'name'
      ? ['conversation > ?', 'conversation']
      : ['used_at < ? OR (used_at = ? AND conversation > ?)', 'used_at DESC, conversation']
  return `SELECT * FROM (
      SELECT *, (SELECT max(updated_at) FROM branches WHERE conversation_id = conversations.id) AS used_at
      FROM conversations WHERE tenant = ? AND deleted_at IS NULL ${only === undefined ? '' : 'AND conversation = ?'}
    ) ${after ? `WHERE ${where}` : ''} ORDER BY ${by} LIMIT ?`
}

function placesOf({ only, after, order = 'recent', limit = -1 }: ListConversations): SqliteValue[] {
  const { conversation = '', updatedAt = 0 } = after ?? {}
  const place = order === 'name' ? [conversation] : [updatedAt, updatedAt, conversation]
  return [...(only === undefined ? [] : [only]), ...(after ? place : []), limit]
}

interface ListedRow extends ConversationRow, Checked {
  readonly used_at: number
}

function toInfo(connection: Connection, row: ListedRow): ConversationInfo {
  const { id, conversation, created_at: createdAt, title, metadata } = sound('conversations', row)
  return {
    conversation,
    createdAt,
    updatedAt: row.used_at,
    ...(title !== null && { title }),
    ...(metadata !== null && { metadata: JSON.parse(metadata) }),
    threads: connection
      .all<BranchRow & Checked>('SELECT * FROM branches WHERE conversation_id = ? ORDER BY actor, branch', id)
      .map(found => sound('branches', found))
      .map(({ actor, branch, head }) => ({ actor, branch, head })),
  }
}

function withoutUndefined<T extends object>(given: T) {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
