import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { Entry } from './stamp-entry.ts'
import type { Unit, UnitKind } from './unit.ts'

/** The units whose long results and answers are sent as one line each: all before this one. */
export interface Cleared {
  readonly before: number
}

export const nothingCleared: Cleared = { before: 0 }

/** The most tokens of the line that stands for a cleared result or answer. An estimate counts more than there are. */
export const lineTokens = ({ exact }: Pick<TokenCounter, 'exact'>): number => (exact ? 32 : 56)

/** Shorter ones are not worth a line. */
const longResult = 64
const longAnswer = 100

/** The tokens that are saved when an entry of a unit is cleared: only results of tools and answers can be. */
export function savingOf(
  kind: UnitKind,
  { role, tokens, message }: Pick<Entry, 'role' | 'tokens' | 'message'>,
  count: Pick<TokenCounter, 'exact'>,
): number {
  const isResult = kind === 'tools' && role === 'tool' && tokens > longResult
  const isAnswer = kind === 'assistant' && role === 'assistant' && tokens > longAnswer
  const saving = tokens - lineTokens(count) * Math.max(1, message.results.length)
  return isResult || isAnswer ? Math.max(0, saving) : 0
}

/** Whether something of a unit is sent as a line. */
export function isCleared(
  { units }: { readonly units: readonly Unit[] },
  { before }: Cleared,
  unit: number,
): boolean {
  return unit < before && units[unit]!.saving > 0
}

/** The tokens that clearing saves in the units from one up to another. */
export function savedBetween(
  { savingBefore }: { readonly savingBefore: readonly number[] },
  { before }: Cleared,
  from: number,
  to: number,
): number {
  return savingBefore[Math.max(from, Math.min(before, to))]! - savingBefore[from]!
}

/** The tokens that clearing some units saves, and that bringing them back costs. */
export function savingSum({ units }: { readonly units: readonly Unit[] }, some: Iterable<number>): number {
  let tokens = 0
  for (const unit of some) tokens += units[unit]!.saving
  return tokens
}
