import type {
  ConversationInfo,
  Head,
  Lease,
  Mark,
  MarkedPlace,
  NewEntry,
  StoredCall,
  StoredEntry,
  StoredTurn,
  ThreadKey,
  TurnEnd,
  WordPlace,
} from './stored.ts'

export type * from './stored.ts'

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
   * Opens a turn: its first entries are on disk when this resolves, unless it `mayDeferSync`. Creates a new thread on any
   * branch: a history refuses unknown ones first. Closes a turn that was left open in the same step, as `closing` says. The same
   * again by the same owner, while the turn is open, gives it with its lease. Throws LeaseError while it is held.
   */
  begin(thread: ThreadKey, turn: BeginTurn): Promise<Begun>
  /** Takes over an open turn whose lease has run out, and fences its holder. Undefined if none is open; LeaseError while held. */
  resume(
    thread: ThreadKey,
    turn: Pick<BeginTurn, 'owner' | 'leaseMs' | 'mayDeferSync'>,
  ): Promise<Extract<Begun, { kind: 'begun' }> | undefined>
  /** Adds entries to the open turn; if all are stored already, any caller gets the head. Expired leases work until a takeover. */
  append(thread: ThreadKey, append: AppendEntries): Promise<{ readonly head: number }>
  /** Stores the last entries, ends the turn and frees the lease, in one step. Repeated, it gives the head, even in later turns. */
  end(thread: ThreadKey, end: EndTurn): Promise<{ readonly head: number }>
  /** Prolongs the lease; throws when another holder has taken it over. */
  renew(thread: ThreadKey, lease: Lease, leaseMs: number): Promise<void>
  /** Adds entries outside of turns (imports); creates a new thread. No turn may be open, held or left. May be repeated. */
  seed(
    thread: ThreadKey,
    seed: Pick<AppendEntries, 'expectedHead' | 'entries' | 'mayDeferSync'>,
  ): Promise<{ readonly head: number }>
  /**
   * Writes entries and turns as they were elsewhere, with ids, places, times, states and keys. May be repeated; a stored
   * entry that differs is a conflict. An open turn stays open with a lease that has run out: the next `begin` closes it.
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
  /**
   * The last bytes kept under a key, and the place they were kept for; undefined if there are none.
   */
  loadCache(
    thread: ThreadKey,
    key: string,
  ): Promise<{ readonly at: number; readonly bytes: Uint8Array } | undefined>
  /** Marks places of a branch. The same again changes nothing. Throws for a thread that is not there. */
  saveMarks(thread: ThreadKey, marks: readonly Mark[]): Promise<void>
  /** The newest places of marks in a tenant, in the branch that was marked: of each mark 16, unless `limit` says otherwise. */
  findMarks(
    tenant: string,
    marks: readonly string[],
    options?: { readonly limit?: number },
  ): Promise<readonly MarkedPlace[]>
  /** The tenants that have a conversation, by name. */
  tenants(): Promise<readonly string[]>
  /** The conversations of a tenant that are not deleted, with their threads by actor and branch. */
  conversations(tenant: string, options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets the given values, removes null ones, keeps the rest. Counts as use (`usedAt`), even when empty, but not as a write. */
  describeConversation(
    tenant: string,
    conversation: string,
    description: DescribeConversation,
  ): Promise<void>
  /**
   * For each of some words, given in all its forms, the newest entries that have one of these, as far as the index knows them; 64
   * for each unless `limit` says otherwise. A shared past is found in the branch that wrote it. Words are as `toWanted` gives them.
   */
  findWords(
    tenant: string,
    words: readonly (readonly string[])[],
    options?: FindWords,
  ): Promise<readonly (readonly WordPlace[])[]>
  /**
   * Removes the conversation and leaves a tombstone, so that late writes are refused; its name is never free again. With
   * `unusedSince`: only if it was not used since then and no turn is held, else it returns false. Then no tombstone stays: what
   * went because of its age may be imported again.
   */
  deleteConversation(
    tenant: string,
    conversation: string,
    options?: { readonly unusedSince?: number },
  ): Promise<boolean>
  /**
   * Puts a mark in the place of an entry's payload, and removes what was made of its text: its words in the index, and of all
   * branches of its actor the caches, and the calls from its turn on. When this resolves, no file of the store has the text, but
   * for the `residue`. The payload of a mark begins with `{"erased":true`. False where there is no such entry.
   */
  erase(
    thread: ThreadKey,
    seq: number,
    mark: Pick<NewEntry, 'payload' | 'tokens'>,
  ): Promise<boolean>
  /**
   * Whether files still hold what was erased or deleted, because another process reads them. The store clears them as soon as that
   * has ended. Absent: never.
   */
  residue?(): boolean
  /** Lists what is wrong with the stored data; empty when all is well. `rebuild` rebuilds a wrong index of words. */
  check(options?: { readonly rebuild?: boolean }): Promise<readonly string[]>
  /**
   * Releases files and connections. A store that has some refuses later calls with `store_closed`.
   */
  close(): Promise<void>
}

/** A write that may wait for the disk. */
export interface MayBeFollowed {
  /** Whether the caller writes again before reporting this: it is on disk with the next write that lacks this. Default false. */
  readonly mayDeferSync?: boolean | undefined
}

/** A turn that begins. */
export interface BeginTurn extends MayBeFollowed {
  /** Names the writer: the same owner may ask again for the turn that it opened. */
  readonly owner: string
  /** How long the writer may be silent before another may take over, in milliseconds. */
  readonly leaseMs: number
  /** The head that the writer knows; another head is a conflict, which names both. Absent: any head. */
  readonly expectedHead?: number
  /** The same key with the same body returns the turn that it began; with another body it is refused. */
  readonly key?: string
  /** A hash of the request, to tell a repetition from another request under the same key. */
  readonly body?: string
  /** How a turn ends that a writer left open whose lease has run out. Default: `interrupted`, without entries. */
  readonly closing?: Partial<TurnEnd> & { readonly entries: readonly NewEntry[] }
  /** The first entries of the turn: most often the user's message. */
  readonly entries: readonly NewEntry[]
  /** Marks of these entries, `at` counted from 1: kept as by `saveMarks`, in the same transaction. */
  readonly marks?: readonly Mark[] | undefined
}

/** A new turn and its lease, or the turn that this request has begun before. */
export type Begun =
  | {
      readonly kind: 'begun'
      readonly turn: StoredTurn
      readonly lease: Lease
      readonly head: number
    }
  | { readonly kind: 'replayed'; readonly turn: StoredTurn; readonly head: number }

/** Entries for the open turn. */
export interface AppendEntries extends MayBeFollowed {
  /** What `begin` or `resume` gave. */
  readonly lease: Lease
  /** The place that the writer takes for the last one; another is a ConflictError. */
  readonly expectedHead: number
  /** In order. Those that are stored already are skipped. */
  readonly entries: readonly NewEntry[]
  /** What became of a call: kept as by `saveCall`, in the same transaction. */
  readonly call?: StoredCall | undefined
  /** Marks of these entries, `at` counted from 1: kept as by `saveMarks`, in the same transaction. */
  readonly marks?: readonly Mark[] | undefined
}

/** The last entries of a turn, and how it ends. */
export interface EndTurn extends Omit<AppendEntries, 'mayDeferSync'>, TurnEnd {}

/** A stretch of a log to be restored, from an export or another store. */
export interface RestoreEntries {
  /** Where the branch was forked; given with its first stretch. */
  readonly forkOf?: { readonly branch: string; readonly at: number }
  /** In order, without gaps, from at most one place after the head. */
  readonly entries: readonly StoredEntry[]
  /** The turns that begin in this stretch; each of them ends in it too. */
  readonly turns: readonly StoredTurn[]
}

/** A stretch of a thread. */
export interface EntryRange {
  /** First place, from 1. Default 1. */
  readonly from?: number
  /** Last place, included. Default: the head. */
  readonly to?: number
  /** Newest first. */
  readonly reverse?: boolean
  /** The most entries. Default: all of the range. */
  readonly limit?: number
}

/** What lists show of a conversation. An absent field keeps its value, null removes it. */
export interface DescribeConversation {
  /** A text for people. */
  readonly title?: string | null | undefined
  /** Any JSON value, of at most 64 KiB. */
  readonly metadata?: unknown
  /** Whose conversation it is, among the people of the tenant. */
  readonly person?: string | null | undefined
}

/** Which conversations are listed, and in which order. */
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
  /** Only those that were neither written to nor used since then: what retention looks for. */
  readonly unusedSince?: number | undefined
}

/** Narrows a search for words. */
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
