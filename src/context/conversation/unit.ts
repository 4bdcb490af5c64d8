import type { ToolCall } from '../../log/message.ts'

/**
 * The kinds of units. A unit is sent or left out whole: a user message; an assistant message with its notes; an assistant
 * message with all its tool results. A `note` (without a reply) and a `stray` (a result without a call) are never sent
 * where they stand.
 */
export type UnitKind = 'system' | 'user' | 'assistant' | 'tools' | 'note' | 'stray'

export interface Unit {
  readonly index: number
  readonly kind: UnitKind
  /** The unit's entries: `from` is the first, `to` is the one after the last. */
  readonly from: number
  readonly to: number
  /** The unit's tokens when it is sent, without its notes. */
  readonly tokens: number
  /** The tokens of its notes when they are sent inline. */
  readonly noteTokens: number
  /** Calls without a result although the conversation went on: providers refuse such a sequence. */
  readonly missing: readonly ToolCall[]
  /** Entries, or single results in them, that answer no call and are not sent; by the entry's place. */
  readonly strays: ReadonlyMap<number, Stray>
}

export interface Stray {
  /** Places of the stray results. Absent: the whole entry. */
  readonly results?: readonly number[]
  readonly why: string
}
