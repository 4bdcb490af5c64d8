import type { Role } from '../log/message.ts'

/** The full name of one branch of a thread. Every key of every table begins with tenant and conversation. */
export interface ThreadKey {
  readonly tenant: string
  readonly conversation: string
  readonly actor: string
  readonly branch: string
}

/** An entry to be appended. The payload is JSON text, normalised by the caller. */
export interface NewEntry {
  /** Unique in its thread for ever: appending the same id again changes nothing. */
  readonly id: string
  readonly role: Role
  readonly time: number
  readonly payload: string
  /** Token counts by counter id, stamped once. */
  readonly tokens: Readonly<Record<string, number>>
}

/** An entry of the log. It is never changed, and only removed with its whole conversation. */
export interface StoredEntry extends NewEntry {
  /** The entry's place in the branch, from 1, without gaps. */
  readonly seq: number
  /** The number of the entry's turn, from 1; 0 for entries seeded outside of turns. */
  readonly turn: number
}

export type TurnStatus = 'open' | 'completed' | 'failed' | 'cancelled' | 'interrupted'

/** How a turn ended. */
export interface TurnEnd {
  readonly status: Exclude<TurnStatus, 'open'>
  /** The error code of a failed turn. */
  readonly error?: string
}

export interface StoredTurn {
  readonly turn: number
  readonly status: TurnStatus
  /** Places of the turn's first and last entry. */
  readonly first: number
  readonly last: number
  readonly startedAt: number
  readonly endedAt?: number
  /** The error code of a failed turn. */
  readonly error?: string
  /** The idempotency key that the turn began with, and a hash of the request's body. */
  readonly key?: string
  readonly body?: string
}

/** The right to write to a branch until it runs out. A later holder has a higher epoch, which fences the earlier one. */
export interface Lease {
  readonly owner: string
  readonly epoch: number
}

/** The state of a branch. */
export interface Head {
  /** Place of the last entry; 0 for an empty branch. */
  readonly head: number
  readonly turns: number
  /** The open turn, if there is one. */
  readonly open?: StoredTurn & {
    readonly lease: Lease
    /** How long the lease still holds; 0 when it has run out, so its holder is gone. */
    readonly expiresInMs: number
  }
  /** Where the branch was forked. */
  readonly forkOf?: { readonly branch: string; readonly at: number }
}

/** How a call ended; `sent` while it runs, and for ever if the process died meanwhile. */
export type CallStatus = 'sent' | 'completed' | 'failed' | 'cancelled'

export interface StoredCall {
  readonly id: string
  readonly turn: number
  readonly time: number
  readonly model: string
  /** The plan and the receipt in their compact form, as JSON text. */
  readonly plan: string
  readonly predicted: number
  /** The prompt tokens that the provider says it read. */
  readonly reported?: number
  readonly status: CallStatus
  /** The error code of a failed call. */
  readonly error?: string
}

/** A write that may wait for the disk. */
export interface MayBeFollowed {
  /**
   * Whether the caller writes once more before anybody is told of this write. Then it need not be on disk when
   * it resolves, only when a later write without this is. A loss of power may take it, but never a later write without it. Default false.
   */
  readonly isFollowed?: boolean | undefined
}

export interface BeginTurn extends MayBeFollowed {
  readonly owner: string
  readonly leaseMs: number
  /** The head that the writer knows; another head is a conflict, which names both. Absent: any head. */
  readonly expectedHead?: number
  /** The same key with the same body returns the turn that it began; with another body it is refused. */
  readonly key?: string
  readonly body?: string
  /** How a turn ends that a writer left open whose lease has run out. Default: `interrupted`, without entries. */
  readonly closing?: Partial<TurnEnd> & { readonly entries: readonly NewEntry[] }
  readonly entries: readonly NewEntry[]
  /** Marks of these entries, `at` counted from 1: kept as by `saveMarks`, in the same transaction. */
  readonly marks?: readonly Mark[] | undefined
}

export type Begun =
  | { readonly kind: 'begun'; readonly turn: StoredTurn; readonly lease: Lease; readonly head: number }
  | { readonly kind: 'replayed'; readonly turn: StoredTurn; readonly head: number }

export interface AppendEntries extends MayBeFollowed {
  readonly lease: Lease
  readonly expectedHead: number
  readonly entries: readonly NewEntry[]
  /** What became of a call: kept as by `saveCall`, in the same transaction. */
  readonly call?: StoredCall | undefined
  /** Marks of these entries, `at` counted from 1: kept as by `saveMarks`, in the same transaction. */
  readonly marks?: readonly Mark[] | undefined
}

export interface EndTurn extends Omit<AppendEntries, 'isFollowed'>, TurnEnd {}

/** A stretch of a log to be restored, from an export or another store. */
export interface RestoreEntries {
  /** Where the branch was forked; given with its first stretch. */
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

/** How lists show a conversation. Not part of the log: it may be replaced, and is deleted with the conversation. */
export interface ConversationDescription {
  readonly title?: string | undefined
  /** Any JSON value but null, of at most 64 KiB. */
  readonly metadata?: unknown
  /** Whose conversation it is, among the people of the tenant. */
  readonly person?: string | undefined
}

export interface ConversationInfo extends ConversationDescription {
  readonly conversation: string
  readonly createdAt: number
  /** The time of the last write to one of the conversation's threads. */
  readonly updatedAt: number
  readonly threads: readonly ThreadInfo[]
}

/** A branch as it is listed. */
export interface ThreadInfo {
  readonly actor: string
  readonly branch: string
  readonly head: number
  /** The time of the last write to it. */
  readonly updatedAt: number
}

export interface DescribeConversation {
  readonly title?: string | null | undefined
  readonly metadata?: unknown
  readonly person?: string | null | undefined
}

export interface ListConversations {
  /** Only this one, whatever the order and the page. */
  readonly only?: string | undefined
  /** Only those of this person, found by an index. */
  readonly person?: string | undefined
  /** `recent`: last written to first. `name`: in the order of code points, which no write changes. Default `recent`. */
  readonly order?: 'recent' | 'name'
  /** The last conversation of the previous page. One that nobody writes to meanwhile is neither skipped nor repeated. */
  readonly after?: Pick<ConversationInfo, 'conversation' | 'updatedAt'> | undefined
  /** The most conversations of a page. */
  readonly limit?: number
}

export interface SearchStore {
  readonly limit?: number
  /** Only in conversations of this person. */
  readonly person?: string | undefined
  /** Only in this conversation. */
  readonly conversation?: string | undefined
}

export interface Found {
  readonly thread: ThreadKey
  readonly seq: number
  readonly role: Role
  readonly time: number
  /** A few words around the match. */
  readonly snippet: string
}

/** Where an entry stands. */
export type ThreadPlace = Pick<Found, 'thread' | 'seq'>

/** A short text by which a place of a thread is found again. */
export interface Mark {
  readonly mark: string
  readonly at: number
}

export interface MarkedPlace extends Mark {
  readonly thread: ThreadKey
}

/**
 * Keeps the log. A thread is appended to, read and forked; a conversation is listed, searched and deleted whole. Every
 * method is one transaction on one conversation. Times and leases go by the store's clock; if that clock goes back, an
 * open turn is held for at most the length of its lease, counted from the next attempt to take it.
 *
 * Reading what was never written, or was deleted, gives nothing (undefined, an empty list). Writing to what was deleted
 * throws NoConversationError. `storeCases` of throughline/testing prove a store; docs/stores.md says what each method does.
 */
export interface Store {
  /** Brings the schema up to date (not with `dryRun`) and returns the steps. Safe when two processes start at once. */
  migrate(options?: { readonly dryRun?: boolean }): Promise<readonly string[]>
  /**
   * Opens a turn: its first entries are on disk when this resolves, unless it `isFollowed`. Creates the thread if it is new, whatever its branch:
   * a history refuses a branch that nobody forked before it asks the store. A turn that was left open is closed in the
   * same step, as `closing` says. The same again by the same owner, while the turn is open, gives the turn with its
   * lease. Throws LeaseError while a holder has the open turn.
   */
  begin(thread: ThreadKey, turn: BeginTurn): Promise<Begun>
  /**
   * Takes over the open turn without closing it, if its lease has run out; its former holder can no longer write.
   * Returns undefined when no turn is open; throws LeaseError while a holder has it.
   */
  resume(
    thread: ThreadKey,
    turn: Pick<BeginTurn, 'owner' | 'leaseMs' | 'isFollowed'>,
  ): Promise<Extract<Begun, { kind: 'begun' }> | undefined>
  /**
   * Adds entries to the open turn. If all of them are stored already it changes nothing and returns the head, no matter who holds
   * the turn: a retry is no conflict. A lease that ran out stays good until another holder takes over.
   */
  append(thread: ThreadKey, append: AppendEntries): Promise<{ readonly head: number }>
  /**
   * Stores the last entries and ends the turn in one transaction; gives the lease back. May be repeated, also when later
   * turns have begun: the same lease, status and entries give the head.
   */
  end(thread: ThreadKey, end: EndTurn): Promise<{ readonly head: number }>
  /** Prolongs the lease; throws when another holder has taken it over. */
  renew(thread: ThreadKey, lease: Lease, leaseMs: number): Promise<void>
  /**
   * Adds entries outside of turns (pre-seeding, imports). Creates the thread if it is new. The branch must have no open
   * turn, held or left. May be repeated.
   */
  seed(
    thread: ThreadKey,
    seed: Pick<AppendEntries, 'expectedHead' | 'entries' | 'isFollowed'>,
  ): Promise<{ readonly head: number }>
  /**
   * Writes entries and turns as they were elsewhere: the same ids, places, times, states and keys. Stored entries stay, so
   * it may be repeated; a stored entry that differs is a conflict. An open turn stays open with a lease that has run out:
   * the next `begin` closes it.
   */
  restore(thread: ThreadKey, stretch: RestoreEntries): Promise<{ readonly head: number }>
  /**
   * Makes a branch that shares the past of another up to a place: outside of turns, the end of a closed turn, or before a
   * user entry; never inside an open turn. A turn that is torn ends there. Calls, leases, idempotency keys and caches stay
   * behind. The same fork again changes nothing; another one with that name is refused.
   */
  fork(thread: ThreadKey, fork: { readonly at: number; readonly branch: string }): Promise<void>
  /** Undefined for a thread that was never written to. */
  head(thread: ThreadKey): Promise<Head | undefined>
  /** The entries of the branch, with its shared past. A range may reach beyond them. */
  entries(thread: ThreadKey, range?: EntryRange): AsyncIterable<StoredEntry>
  /** The turns of the branch, with its shared past, oldest first. */
  turns(thread: ThreadKey): Promise<readonly StoredTurn[]>
  /** Keeps a call, or what became of one: the same id again replaces it in its place. Throws for a thread that is not there. */
  saveCall(thread: ThreadKey, call: StoredCall): Promise<void>
  /** The calls, newest first. */
  calls(thread: ThreadKey, options?: { readonly limit?: number }): Promise<readonly StoredCall[]>
  /** Removes the calls made before a time, in all threads of a tenant; returns how many. */
  deleteCalls(tenant: string, before: number): Promise<number>
  /** Keeps a cache that can be rebuilt from the log: the last one for each key. Throws for a thread that is not there. */
  saveCache(thread: ThreadKey, key: string, at: number, bytes: Uint8Array): Promise<void>
  loadCache(
    thread: ThreadKey,
    key: string,
  ): Promise<{ readonly at: number; readonly bytes: Uint8Array } | undefined>
  /** Marks places of a branch. The same again changes nothing. Throws for a thread that is not there. */
  saveMarks(thread: ThreadKey, marks: readonly Mark[]): Promise<void>
  /**
   * The places with one of these marks, in all conversations of a tenant: of each mark 16 unless `limit` says
   * otherwise, and the newest if there are more. A shared past is found in the branch that was marked.
   */
  findMarks(
    tenant: string,
    marks: readonly string[],
    options?: { readonly limit?: number },
  ): Promise<readonly MarkedPlace[]>
  /** The conversations of a tenant that are not deleted, with their threads by actor and branch. */
  conversations(tenant: string, options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets given values, removes those that are null, leaves the rest. Does not change when the conversation was updated. */
  describeConversation(tenant: string, conversation: string, description: DescribeConversation): Promise<void>
  /**
   * Entries whose texts have every word of the query, newest first, 20 unless `limit` says otherwise; none for a query
   * without words. A shared past is found in the branch that wrote it. `toWanted` and `hasWords` say what a word is.
   */
  search(tenant: string, query: string, options?: SearchStore): Promise<readonly Found[]>
  /**
   * For each of some words, given in all its forms, the newest entries of a person's conversations that have one of these, as far
   * as the index knows them; 64 for each unless `limit` says otherwise. Words are as `toWanted` gives them.
   */
  findWords(
    tenant: string,
    words: readonly (readonly string[])[],
    options: { readonly person: string; readonly limit?: number },
  ): Promise<readonly (readonly ThreadPlace[])[]>
  /**
   * Removes the conversation and leaves a tombstone, so that late writes are refused; its name is never free again. With
   * `unusedSince`: only if nothing was written since then and nobody holds a turn, else it returns false.
   */
  deleteConversation(
    tenant: string,
    conversation: string,
    options?: { readonly unusedSince?: number },
  ): Promise<boolean>
  /** Lists what is wrong with the stored data; empty when all is well. `rebuild` rebuilds a wrong index of words. */
  check(options?: { readonly rebuild?: boolean }): Promise<readonly string[]>
  close(): Promise<void>
}
