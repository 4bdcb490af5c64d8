import type { ToolCall } from '../../log/message.ts'

/**
 * The kinds of units. A unit is sent or left out whole: a user message; an assistant message with its notes; an assistant
 * message with all its tool results. A `note` (without a reply) and a `stray` (a result without a call) are never sent
 * where they stand.
 */
export type UnitKind = 'system' | 'user' | 'assistant' | 'tools' | 'note' | 'stray'

/**
 * What calls read or write, as two numbers for each: the call with all its arguments, and the file that it names. The second
 * is 0 without a file, odd for a call that writes the file, else even. A system message counts like a call.
 */
export type Touched = readonly number[]

export interface Unit {
  readonly index: number
  readonly kind: UnitKind
  /** The unit's entries: `from` is the first, `to` is the one after the last. */
  readonly from: number
  readonly to: number
  /** The unit's tokens when it is sent, without its notes. */
  readonly tokens: number
  /** The tokens that are saved when its long result or answer is sent as one line. */
  readonly saving: number
  /** What its calls read or write. */
  readonly touched: Touched
  /** Whether its result only says that an earlier one still holds. */
  readonly refers: boolean
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
  /** Default: the sequence must be valid. */
  readonly rule?: string
}

/** Whether a unit is left out, recalled or digested like others. System messages are always sent; notes and strays never. */
export function isOrdinary({ kind }: Pick<Unit, 'kind'>): boolean {
  return kind === 'user' || kind === 'assistant' || kind === 'tools'
}
