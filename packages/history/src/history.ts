import type { Policy } from '@throughline/core/context'
import type { TokenCounter } from '@throughline/core/counters'
import type {
  ConversationInfo,
  DescribeConversation,
  ListConversations,
  Store,
} from '@throughline/stores/store'
import type { EmbedOptions } from './log/vectors/embed-texts.ts'
import type { Found, SearchOptions } from './search-log.ts'
import type { Thread } from './thread.ts'
import type { Imported, ImportedText, ImportOptions } from './transfer/import-text.ts'

/** Defaults for the contexts of all threads. */
export interface HistorySettings {
  /** The tokens that the model can take, prompt and reply together. Default 4096; for a chat: what its model says. */
  readonly window?: number
  /** The part of the window that is kept free for the reply. Default 0; for a chat: an eighth of the window. */
  readonly reserve?: number
  /** Decides what is left out when not everything fits. Default `balanced()`. */
  readonly policy?: Policy
}

/** Options of `createHistory`: where the log is, whose it is, and how contexts are fitted. */
export interface HistoryOptions extends HistorySettings {
  /** Where the log is stored. */
  readonly store: Store
  /** The counter of messages that are appended. Default `estimate()`. */
  readonly count?: TokenCounter
  /** Lets recall also find what means the same in other words, by vectors that are stored beside the log. Default: words alone. */
  readonly embed?: EmbedOptions
  /** Whose conversations these are. Tenants never see each other. Default `'default'`. */
  readonly tenant?: string
  /**
   * The person who speaks, one of the tenant's. A conversation belongs to its first writer; lists, search, exports and
   * deletions keep to those of the person. Default: sees all.
   */
  readonly person?: string
  /** What messages may bring back word for word: of their conversation, or of all of the `person`'s. Default `'conversation'`. */
  readonly remember?: 'conversation' | 'person'
  /** How long a writer keeps a turn without renewing its lease; then another may take over. Default 30 s. */
  readonly leaseMs?: number
  /** The clock, in milliseconds. Default `Date.now`. */
  readonly now?: () => number
  /** The ids of entries, calls and branches. Default `crypto.randomUUID`. */
  readonly newId?: () => string
}

export interface DryRunOptions {
  /** Only says what would be deleted. Default false. */
  readonly dryRun?: boolean
}

export interface DeleteOptions extends DryRunOptions {
  /** Deletes it only if it was not used since this time, in milliseconds, and no turn is being written. Default: in any case. */
  readonly unusedSince?: number
}

export interface DeleteAllOptions extends DryRunOptions {
  /** Only conversations in which this actor has a thread. Default: all. */
  readonly actor?: string
  /** Only conversations of this person. Default: all. */
  readonly person?: string
}

/** How long conversations and calls are kept; without a time, for ever. */
export interface RetainOptions extends DryRunOptions {
  /** Conversations that were not used for this many milliseconds are deleted whole. Default: never. */
  readonly conversationsMs?: number
  /** Calls older than this are deleted: their contexts are no longer shown. Log and system prompts stay. Default: never. */
  readonly callsMs?: number
}

export interface ThreadOptions {
  /** Whose thread of the conversation. Default `assistant`. */
  readonly actor?: string | undefined
  /** A branch that `fork` made. Default `main`. */
  readonly branch?: string | undefined
}

export interface CheckOptions {
  /** Also makes indexes and caches anew, except vectors. Default false. */
  readonly rebuild?: boolean
}

/** What `retain` deleted, or would delete with `dryRun`. */
export interface Retained {
  /** The names of the conversations. */
  readonly deleted: readonly string[]
  /** How many records of calls. */
  readonly calls: number
}

/** The conversations of a tenant on a store. */
export interface History {
  /** Where the log is stored. */
  readonly store: Store
  /** Whose conversations these are. */
  readonly tenant: string
  /** Who speaks, if that was said. */
  readonly person?: string
  /** The conversations of another tenant or person on the same store: one history serves many, who never see each other. */
  of(tenant: string, options?: Pick<HistoryOptions, 'person'>): History
  /** The counter that counts messages when they are appended. */
  readonly count: TokenCounter
  /** The options that contexts are fitted with, as they were given. */
  readonly settings: HistorySettings
  /** One actor's line of a conversation. Nothing is read or written until it is used. */
  thread(conversation: string, options?: ThreadOptions): Thread
  /** Lists conversations, last used first unless `order` says otherwise. `after`: the last one of the previous page. */
  conversations(options?: ListConversations): Promise<readonly ConversationInfo[]>
  /** Sets the title and the metadata that `conversations` lists; null removes one. */
  describe(conversation: string, description: DescribeConversation): Promise<void>
  /** Finds messages with words of the query, the best first, among those a user may see; `scope` widens that. */
  search(query: string, options?: SearchOptions): Promise<readonly Found[]>
  /** Deletes a whole conversation; late writes to it are refused. False when there was none, or it is another person's. */
  delete(conversation: string, options?: DeleteOptions): Promise<boolean>
  /** Deletes all conversations of the tenant, or of a person, or those in which an actor has a thread. Returns their names. */
  deleteAll(options?: DeleteAllOptions): Promise<readonly string[]>
  /** Exports a conversation as lines of JSON: lossless, so with notes. No lines where there is none of this id. */
  export(conversation: string): AsyncIterable<string>
  /** Exports all conversations. Not `export` without an id: an id that is missing must not export what others said. */
  exportAll(): AsyncIterable<string>
  /**
   * Imports an export of ours, or the chats of another program (ChatGPT, Claude, Open WebUI …), whichever it is: a text, or its
   * lines or parts. A damaged one stores nothing; the same again changes nothing, and goes on where a store failed. The text is
   * read twice: a function opens it each time, and what can be read only once, such as a stream, is kept in memory.
   */
  import(text: ImportedText, options?: ImportOptions): Promise<Imported>
  /** Deletes conversations and records of calls that are older than the given times. */
  retain(options: RetainOptions): Promise<Retained>
  /** Checks the log and lists its faults in words; an empty list is a sound log. */
  check(options?: CheckOptions): Promise<readonly string[]>
  /** Closes the store. Histories made by `of` share it. */
  close(): Promise<void>
}
