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

export const endStatuses = ['completed', 'failed', 'cancelled', 'interrupted'] as const

export type TurnStatus = 'open' | TurnEnd['status']

export interface TurnEnd {
  readonly status: (typeof endStatuses)[number]
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
  readonly open?: StoredTurn & {
    readonly lease: Lease
    /** How long the lease still holds; 0 when it has run out, so its holder is gone. */
    readonly expiresInMs: number
  }
  readonly forkOf?: { readonly branch: string; readonly at: number }
}

export const callStatuses = ['sent', 'completed', 'failed', 'cancelled'] as const

/** How a call ended; `sent` while it runs, and for ever if the process died meanwhile. */
export type CallStatus = (typeof callStatuses)[number]

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

export interface ThreadInfo {
  readonly actor: string
  readonly branch: string
  readonly head: number
  /** The time of the last write to it. */
  readonly updatedAt: number
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
