import type { Role } from '../log/message.ts'

/** The full name of a conversation. Every key of every table begins with it. */
export interface ConversationKey {
  readonly tenant: string
  readonly conversation: string
}

/** The full name of one branch of a thread. */
export interface ThreadKey extends ConversationKey {
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

/** An entry of the log. It is never changed, except by `erase`, and only removed with its whole conversation. */
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
   * Whether the caller writes once more before it reports this write. Then it need not be on disk when
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
  /** When it was last read, quoted, described or imported, to the minute; absent if never. */
  readonly usedAt?: number
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
  /** The last conversation of the previous page. A conversation without new writes is neither skipped nor repeated. */
  readonly after?: Pick<ConversationInfo, 'conversation' | 'updatedAt'> | undefined
  /** The most conversations of a page. */
  readonly limit?: number
}

export interface FindWords {
  /** The most places of a word. */
  readonly limit?: number
  /** Only in conversations of this person. */
  readonly person?: string | undefined
  /** Only in this conversation. */
  readonly conversation?: string | undefined
  /** Whether places have the times of their entries. Default false. */
  readonly times?: boolean
}

/** Where an entry stands. */
export interface ThreadPlace {
  readonly thread: ThreadKey
  readonly seq: number
}

/** Where an entry with a word stands. */
export interface WordPlace extends ThreadPlace {
  readonly time?: number
}

/** A short text by which a place of a thread is found again. */
export interface Mark {
  readonly mark: string
  readonly at: number
}

export interface MarkedPlace extends Mark {
  readonly thread: ThreadKey
}
