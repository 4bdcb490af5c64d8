import type { Sums, Transcript } from './transcript.ts'
import type { Units } from './unit.ts'

/** The units whose long results and answers are sent as one line each: all before this one. */
export interface Cleared {
  readonly before: number
}

export const nothingCleared: Cleared = { before: 0 }

/** Whether something of a unit is sent as a line. */
export function isCleared({ units }: Units, { before }: Cleared, unit: number): boolean {
  return unit < before && units[unit]!.saving > 0
}

/** The tokens that clearing saves in the units from one up to another. */
export function savedBetween(
  { savingBefore }: Sums,
  { before }: Cleared,
  from: number,
  to: number,
): number {
  return savingBefore[Math.max(from, Math.min(before, to))]! - savingBefore[from]!
}

/** The tokens that clearing some units saves, and that bringing them back costs. */
export function savingSum({ units }: Units, some: Iterable<number>): number {
  let tokens = 0
  for (const unit of some) tokens += units[unit]!.saving
  return tokens
}

/** The share of the room that system messages in the conversation may take. */
export const systemsShare = 1 / 8

/**
 * Of system messages of one shape before a unit (dates, reminders, states), the last is sent. Others are sent while they take
 * at most `most` tokens, and the last one always; the oldest go first. Gives the tokens of those that are not sent any more,
 * and puts them into `aged`, each with the reason.
 */
export function ageSystems(
  { systems, units }: Transcript,
  before: number,
  most: number,
  aged?: Map<number, string>,
): number {
  const shapes = new Set<number>()
  let [sent, tokens] = [0, 0]
  for (let at = systems.length; at--; ) {
    const index = systems[at]!
    if (index >= before) continue
    const unit = units[index]!
    const shape = unit.touched[0]!
    const isRepeated = shapes.has(shape)
    shapes.add(shape)
    if (!isRepeated && (shapes.size === 1 || sent + unit.tokens <= most)) {
      sent += unit.tokens
      continue
    }
    tokens += unit.tokens
    aged?.set(
      index,
      isRepeated ? 'a newer system message of the same shape is sent' : 'an older system message',
    )
  }
  return tokens
}
