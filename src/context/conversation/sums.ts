import type { Unit } from './unit.ts'

/** Running sums over the units of a transcript: [k] is the sum of the units before k. */
export interface Sums {
  /** Cost of the ordinary units: all but the first user message and system messages. */
  readonly costBefore: readonly number[]
  /** Cost of the ordinary units' notes, sent inline. */
  readonly noteCostBefore: readonly number[]
  readonly ordinaryBefore: readonly number[]
}

export function addSums(
  sums: { readonly [Name in keyof Sums | 'turns']: number[] },
  { index, kind, tokens, noteTokens }: Unit,
): void {
  const fixed = kind === 'system' || index === sums.turns[0]
  const goes = !fixed && kind !== 'stray' && kind !== 'note'
  sums.costBefore[index + 1] = sums.costBefore[index]! + (fixed ? 0 : tokens)
  sums.noteCostBefore[index + 1] = sums.noteCostBefore[index]! + noteTokens
  sums.ordinaryBefore[index + 1] = sums.ordinaryBefore[index]! + (goes ? 1 : 0)
}

/** The cost of the units from one up to another that may go, with their notes where those are sent inline. */
export function costBetween(sums: Sums, from: number, to: number, inlineNotes: boolean): number {
  const { costBefore, noteCostBefore } = sums
  const cost = costBefore[to]! - costBefore[from]!
  return inlineNotes ? cost + noteCostBefore[to]! - noteCostBefore[from]! : cost
}
