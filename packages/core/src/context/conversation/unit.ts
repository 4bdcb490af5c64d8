import type { Message, ToolCall } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { Entry } from './stamp-entry.ts'

/** A unit is sent or left out whole. A `note` without reply and a `stray` (result without call) are never sent where they stand. */
export type UnitKind = 'system' | 'user' | 'assistant' | 'tools' | 'note' | 'stray'

/** Two numbers per call: its name and arguments; its file (0 none, odd written, even read). System messages count as calls. */
export type Touched = readonly number[]

/** Messages that are sent or left out together: a call is never torn from its results. */
export interface Unit {
  /** Its place in `draft.units`. */
  readonly index: number
  /** Policies choose among `user`, `assistant` and `tools` alone: see `UnitKind`. */
  readonly kind: UnitKind
  /** The unit's entries: `from` is the first, `to` is the one after the last. */
  readonly from: number
  /** The entry after the last. */
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

/** The entries of a conversation, and the units that they form. */
export interface Units {
  readonly entries: readonly Entry[]
  readonly units: readonly Unit[]
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

/** All text of a unit: what was said, the calls with their arguments, the results. */
export function unitText({ entries }: Units, { from, to, kind }: Unit): string {
  // Fast path: most units are one message without calls.
  if ((kind === 'user' || kind === 'assistant') && to === from + 1) {
    const { text, calls, results } = entries[from]!.message
    if (calls.length + results.length === 0) return text
  }
  return entries
    .slice(from, to)
    .filter(({ role }) => role !== 'assistant_note')
    .flatMap(({ message }) => saidIn(message, call => `${call.name} ${call.arguments}`))
    .join('\n')
}

/** Everything that a message says: its text, its calls, and the results that are not its text. */
export function saidIn(
  { role, text, calls, results }: Message,
  describe: (call: ToolCall) => string,
) {
  return [
    text,
    ...calls.map(describe),
    ...(role === 'tool' ? [] : results.map(result => result.text)),
  ]
}

/** The most tokens of the line that stands for a cleared result. An estimate counts more than there are. */
export const lineTokens = ({ exact }: Pick<TokenCounter, 'exact'>): number => (exact ? 44 : 72)

/** Shorter ones are not worth a line. */
const longResult = 64

/**
 * The tokens that are saved when a message of a unit is cleared: only results of tools can be, as their calls need them. A line
 * in the mouth of the assistant would be read as what it said.
 */
export function savingOf(
  kind: UnitKind,
  tokens: number,
  message: Message,
  count: TokenCounter,
): number {
  const { role, results } = message
  const isResult = kind === 'tools' && role === 'tool' && tokens > longResult
  return isResult ? Math.max(0, tokens - lineTokens(count) * Math.max(1, results.length)) : 0
}
