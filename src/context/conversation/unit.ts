import type { Message, MessageLike, Role, ToolCall } from '../../log/message.ts'
import type { Stamp } from './stamp.ts'

/** One message of the conversation with what we know of it. */
export interface Entry<M extends MessageLike = MessageLike> {
  readonly source: M
  /** What is sent in its place: most often itself. */
  readonly raw: M
  readonly message: Message
  readonly role: Role
  readonly tokens: number
  /** What it was read by: it tells whether the caller has changed the message since. */
  readonly stamp: Stamp
}

/**
 * What stands or falls together: a user message; an assistant message with its notes; an assistant message with
 * all its tool results. `note` and `stray` are never sent where they stand: a note without an answer to belong to,
 * a tool result without a call.
 */
export type UnitKind = 'system' | 'user' | 'assistant' | 'tools' | 'note' | 'stray'

export interface Unit {
  readonly index: number
  readonly kind: UnitKind
  /** Its entries: `from` is the first, `to` is the one after the last. */
  readonly from: number
  readonly to: number
  /** What it costs when it is sent, without its notes. */
  readonly tokens: number
  /** What its notes cost when they are sent inline. */
  readonly noteTokens: number
  /** Calls that never got a result although the conversation went on: providers refuse such a sequence. */
  readonly missing: readonly ToolCall[]
  /** Entries, or single results in them, that answer no call and are therefore not sent, by the entry's place. */
  readonly strays: ReadonlyMap<number, Stray>
}

export interface Stray {
  /** Absent: the whole entry. */
  readonly results?: readonly number[]
  readonly why: string
}
