import type { Role } from '../log/message.ts'

/** Which line of which thread. Every key of every table begins with tenant and conversation. */
export interface ThreadKey {
  readonly tenant: string
  readonly conversation: string
  readonly actor: string
  readonly branch: string
}

/** An entry on its way into the log. The payload is JSON text, normalised at the edge. */
export interface NewEntry {
  /** Unique in its thread for ever: appending the same id again changes nothing. */
  readonly id: string
  readonly role: Role
  readonly time: number
  readonly payload: string
  /** Token counts by counter id, stamped once. */
  readonly tokens: Readonly<Record<string, number>>
}

/** An entry of the log. Never changed, never removed but with its whole conversation. */
export interface StoredEntry extends NewEntry {
  /** Its place in the branch, from 1, without gaps. */
  readonly seq: number
  /** The number of its turn, from 1; 0 for what belongs to none: seeded before the first turn or between two. */
  readonly turn: number
}

export type TurnStatus = 'open' | 'completed' | 'failed' | 'cancelled' | 'interrupted'

export interface StoredTurn {
  readonly turn: number
  readonly status: TurnStatus
  /** Places of its first and last entry. */
  readonly first: number
  readonly last: number
  readonly startedAt: number
  readonly endedAt?: number
  /** A code, for a turn that failed. */
  readonly error?: string
  /** The idempotency key that began it, and a hash of the body that came with it. */
  readonly key?: string
  readonly body?: string
}

/** The right to write to a branch until it runs out. A later holder has a higher epoch, which fences the earlier one. */
export interface Lease {
  readonly owner: string
  readonly epoch: number
}

/** Where a branch stands. */
export interface Head {
  /** Place of the last entry; 0 for an empty branch. */
  readonly head: number
  readonly turns: number
  /** The turn that is open, if one is. */
  readonly open?: StoredTurn & {
    readonly lease: Lease
    /** How long its lease still holds; 0 when it has run out: whoever held it is gone. */
    readonly expiresInMs: number
  }
  /** Where the branch came from. */
  readonly forkOf?: { readonly branch: string; readonly at: number }
}

/** How a call went: `sent` until somebody says more, and for ever where the process died meanwhile. */
export type CallStatus = 'sent' | 'completed' | 'failed' | 'cancelled'

export interface StoredCall {
  readonly id: string
  readonly turn: number
  readonly time: number
  readonly model: string
  /** The plan and the receipt in their compact form, as JSON text. */
  readonly plan: string
  readonly predicted: number
  readonly reported?: number
  readonly status: CallStatus
  /** A code, for a call that failed. */
  readonly error?: string
}

export interface BeginTurn {
  readonly owner: string
  readonly leaseMs: number
  /** The head that the writer knows; a conflict names both numbers. Absent: whatever it is. */
  readonly expectedHead?: number
  /** The same key with the same body gives the turn that it began; with another body it is refused. */
  readonly key?: string
  readonly body?: string
  /** What closes a turn that was left open by a writer whose lease has run out, then what begins this one. */
  readonly closing?: readonly NewEntry[]
  readonly entries: readonly NewEntry[]
}

export type Begun =
  | { readonly kind: 'begun'; readonly turn: StoredTurn; readonly lease: Lease; readonly head: number }
  | { readonly kind: 'replayed'; readonly turn: StoredTurn; readonly head: number }

export interface AppendEntries {
  readonly lease: Lease
  readonly expectedHead: number
  readonly entries: readonly NewEntry[]
}

export interface EndTurn extends AppendEntries {
  readonly status: Exclude<TurnStatus, 'open'>
  readonly error?: string
}

/** A stretch of a log on its way back, from an export or another store. */
export interface RestoreEntries {
  /** Where the branch came from, with the first stretch of it. */
  readonly forkOf?: { readonly branch: string; readonly at: number }
  /** In order, without gaps, from at most one place after the head. */
  readonly entries: readonly StoredEntry[]
  /** The turns that begin in this stretch; each of them ends in it too. */
  readonly turns: readonly StoredTurn[]
}

export interface EntryRange {
  /** First place, from 1. Default 1. */
  readonly from?: number
  /** Last place, included. Default: the head. */
  readonly to?: number
  /** Newest first. */
  readonly reverse?: boolean
  readonly limit?: number
}

/** What people see of a conversation in a list. No entry of the log: it may be replaced, and goes with the conversation. */
export interface ConversationDescription {
  readonly title?: string | undefined
  /** Any JSON value but null, of at most 64 KiB. */
  readonly metadata?: unknown
}

export interface ConversationInfo extends ConversationDescription {
  readonly conversation: string
  readonly createdAt: number
  /** When something was last written to one of its threads. */
  readonly updatedAt: number
  readonly threads: readonly { readonly actor: string; readonly branch: string; readonly head: number }[]
}

export interface DescribeConversation {
  readonly title?: string | null | undefined
  readonly metadata?: unknown
}

export interface ListConversations {
  /** `recent`: last written to first. `name`: in the order of code points, which no write changes. Default `recent`. */
  readonly order?: 'recent' | 'name'
  /** The last one of the page before. In both orders a conversation that nobody writes to is neither lost nor met twice. */
  readonly after?: Pick<ConversationInfo, 'conversation' | 'updatedAt'> | undefined
  readonly limit?: number
}

export interface Found {
  readonly thread: ThreadKey
  readonly seq: number
  readonly role: Role
  readonly time: number
  /** The place that matched, with a few words around it. */
  readonly snippet: string
}

/**
 * Where the log lives. Small on purpose: a thread is appended to, read and forked; a conversation is listed, searched
 * and deleted whole. Every method is one transaction on one conversation. Times and leases go by the store's clock; a
 * clock that goes back holds a turn for no longer than its lease, counted from the next one who asks for it.
 */
export interface Store {
  /** What must be done before the schema is the newest one; does it unless `dryRun`. Safe when two start at once. */
  migrate(options?: { readonly dryRun?: boolean }): Promise<readonly string[]>
  /** Opens a turn durably: its first entries are on disk when this resolves. Creates the thread where it is new. */
  begin(thread: ThreadKey, turn: BeginTurn): Promise<Begun>
  /**
   * Takes over the turn that is open and whose lease has run out, without closing it: the one before is fenced off.
   * Undefined when no turn is open; a LeaseError while somebody holds it.
   */
  resume(
    thread: ThreadKey,
    turn: { readonly owner: string; readonly leaseMs: number },
  ): Promise<Extract<Begun, { kind: 'begun' }> | undefined>
  /**
   * Where all entries are stored already it gives the head, whoever holds the turn by now: a retry is no conflict. A
   * lease that ran out is good until somebody else takes over.
   */
  append(thread: ThreadKey, append: AppendEntries): Promise<{ readonly head: number }>
  /** The last entries and the end of the turn in one transaction; gives the lease back. May be repeated. */
  end(thread: ThreadKey, end: EndTurn): Promise<{ readonly head: number }>
  /** Throws when the lease is no longer held. */
  renew(thread: ThreadKey, lease: Lease, leaseMs: number): Promise<void>
  /** Entries before the first turn, or outside of any: pre-seeding, imports. The branch must have no open turn. */
  seed(
    thread: ThreadKey,
    seed: { readonly expectedHead: number; readonly entries: readonly NewEntry[] },
  ): Promise<{ readonly head: number }>
  /**
   * Writes entries and turns as they once were: the same ids, places, times, states and keys. What is there already is
   * left alone, so that it may be repeated; what is there and differs is a conflict. A turn that was open stays open,
   * with a lease that has run out: the next `begin` closes it.
   */
  restore(thread: ThreadKey, stretch: RestoreEntries): Promise<{ readonly head: number }>
  /** A new branch that shares the past of another up to a place: the end of a closed turn, or before a user entry. */
  fork(thread: ThreadKey, fork: { readonly at: number; readonly branch: string }): Promise<void>
  head(thread: ThreadKey): Promise<Head | undefined>
  /** Entries of the branch, its shared past included. */
  entries(thread: ThreadKey, range?: EntryRange): AsyncIterable<StoredEntry>
  turns(thread: ThreadKey): Promise<readonly StoredTurn[]>
  saveCall(thread: ThreadKey, call: StoredCall): Promise<void>
  /** The newest first. The same id saved again replaces the call where it stands. */
  calls(thread: ThreadKey, options?: { readonly limit?: number }): Promise<readonly StoredCall[]>
  /** Removes the records of calls that were made before a time, in all threads of a tenant; gives how many. */
  deleteCalls(tenant: string, before: number): Promise<number>
  /** Caches that can be rebuilt from the log; lost with any error, never the truth. */
  saveCache(thread: ThreadKey, key: string, at: number, bytes: Uint8Array): Promise<void>
  loadCache(
    thread: ThreadKey,
    key: string,
  ): Promise<{ readonly at: number; readonly bytes: Uint8Array } | undefined>
  conversations(tenant: string, options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets what is given, removes what is null, leaves the rest. Does not make the conversation any newer. */
  describeConversation(tenant: string, conversation: string, description: DescribeConversation): Promise<void>
  /** Entries that have every word of the query, the newest first. A shared past is found where it was written. */
  search(tenant: string, query: string, options?: { readonly limit?: number }): Promise<readonly Found[]>
  /**
   * Tombstones the conversation, so that late writes are refused, then removes all of it. Its name is never free again.
   * With `unusedSince`: only when nothing was written since then and nobody holds a turn; else it gives false.
   */
  deleteConversation(
    tenant: string,
    conversation: string,
    options?: { readonly unusedSince?: number },
  ): Promise<boolean>
  /**
   * What is wrong with the stored data, in words; nothing when all invariants hold. With `rebuild`, an index of words that
   * is not what the log says is made anew.
   */
  check(options?: { readonly rebuild?: boolean }): Promise<readonly string[]>
  close(): Promise<void>
}
