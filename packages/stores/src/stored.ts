import type { Role } from '@throughline/core/messages'

/** The full name of a conversation. Every key of every table begins with it. */
export interface ConversationKey {
  /** Whose conversation it is: tenants never see each other. */
  readonly tenant: string
  /** Its name in the tenant. */
  readonly conversation: string
}

/** The full name of one branch of a thread. */
export interface ThreadKey extends ConversationKey {
  /** Whose thread it is: `assistant` unless an application says otherwise. */
  readonly actor: string
  /** `main`, or the name of a fork. */
  readonly branch: string
}

/** An entry to be appended. The payload is JSON text, normalised by the caller. */
export interface NewEntry {
  /** Unique in its thread for ever: appending the same id again changes nothing. */
  readonly id: string
  /** Who says the message in it. */
  readonly role: Role
  /** When it was appended, in milliseconds since 1970. */
  readonly time: number
  /** The message and what is stored beside it. A store keeps it as it is. */
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

/** How turns can end. */
export const endStatuses = ['completed', 'failed', 'cancelled', 'interrupted'] as const

/** `open` while it is answered. */
export type TurnStatus = 'open' | TurnEnd['status']

/** How a turn ends. */
export interface TurnEnd {
  /** `interrupted`: its writer left it, and another has closed it. */
  readonly status: (typeof endStatuses)[number]
  /** The error code of a failed turn. */
  readonly error?: string
}

/** A turn of the log. Times are in milliseconds since 1970. */
export interface StoredTurn {
  /** Its number in the branch, counted from 1. */
  readonly turn: number
  /** How it ended, or `open`. */
  readonly status: TurnStatus
  /** Places of the turn's first and last entry. */
  readonly first: number
  /** The last entry, included; it moves while the turn is open. */
  readonly last: number
  /** When it began. */
  readonly startedAt: number
  /** When it ended; absent while it is open. */
  readonly endedAt?: number
  /** The error code of a failed turn. */
  readonly error?: string
  /** The idempotency key that the turn began with, and a hash of the request's body. */
  readonly key?: string
  /** The hash that came with the key. */
  readonly body?: string
}

/** The right to write to a branch until it runs out. A later holder has a higher epoch, which fences the earlier one. */
export interface Lease {
  /** Names the writer. */
  readonly owner: string
  /** Counts the leases of a branch. */
  readonly epoch: number
}

/** The state of a branch. */
export interface Head {
  /** Place of the last entry; 0 for an empty branch. */
  readonly head: number
  /** How many turns there are, with those of the shared past. */
  readonly turns: number
  /** The turn that is being answered, or was left by a writer who is gone; absent if none is. */
  readonly open?: StoredTurn & {
    readonly lease: Lease
    /** How long the lease still holds; 0 when it has run out, so its holder is gone. */
    readonly expiresInMs: number
  }
  /** The branch that this one was forked from, and the last place that they share. */
  readonly forkOf?: { readonly branch: string; readonly at: number }
}

/** All values of `CallStatus`. */
export const callStatuses = ['sent', 'completed', 'failed', 'cancelled'] as const

/** How a call ended; `sent` while it runs, and for ever if the process died meanwhile. */
export type CallStatus = (typeof callStatuses)[number]

/** One model call, with what it was sent. */
export interface StoredCall {
  /** Unique in its thread: the same id again replaces the call. */
  readonly id: string
  /** The number of the turn that it belongs to. */
  readonly turn: number
  /** When it began, in milliseconds since 1970. */
  readonly time: number
  /** The name of the model. */
  readonly model: string
  /** The plan and the receipt in their compact form, as JSON text. */
  readonly plan: string
  /** The prompt tokens that we counted. */
  readonly predicted: number
  /** The prompt tokens that the provider says it read. */
  readonly reported?: number
  /** `sent` until its outcome is stored. */
  readonly status: CallStatus
  /** The error code of a failed call. */
  readonly error?: string
}

/** How lists show a conversation. Not part of the log: it may be replaced, and is deleted with the conversation. */
export interface ConversationDescription {
  /** A text for people. */
  readonly title?: string | undefined
  /** Any JSON value but null, of at most 64 KiB. */
  readonly metadata?: unknown
  /** Whose conversation it is, among the people of the tenant. */
  readonly person?: string | undefined
}

/** A conversation as lists show it. Times are in milliseconds since 1970. */
export interface ConversationInfo extends ConversationDescription {
  /** Its name in the tenant. */
  readonly conversation: string
  /** The time of its first write. */
  readonly createdAt: number
  /** The time of the last write to one of the conversation's threads. */
  readonly updatedAt: number
  /** When it was last read, quoted, described or imported, to the minute; absent if never. */
  readonly usedAt?: number
  /** Ordered by actor, then by branch. */
  readonly threads: readonly ThreadInfo[]
}

/** One branch of an actor, as lists show it. */
export interface ThreadInfo {
  /** Whose thread it is: `assistant` unless an application says otherwise. */
  readonly actor: string
  /** `main`, or the name of a fork. */
  readonly branch: string
  /** The place of its last entry. */
  readonly head: number
  /** The time of the last write to it. */
  readonly updatedAt: number
}

/** Where an entry stands. */
export interface ThreadPlace {
  /** The branch. */
  readonly thread: ThreadKey
  /** The place of the entry in it, counted from 1. */
  readonly seq: number
}

/** Where an entry with a word stands. */
export interface WordPlace extends ThreadPlace {
  /** When the entry was appended; present if `times` was asked for. */
  readonly time?: number
}

/** A short text by which a place of a thread is found again. */
export interface Mark {
  /** The text. */
  readonly mark: string
  /** The place of an entry in its branch, counted from 1. */
  readonly at: number
}

/** A mark, and the branch that was marked. */
export interface MarkedPlace extends Mark {
  /** The branch that was marked. */
  readonly thread: ThreadKey
}
