import type { Unit } from './unit.ts'

/** Running sums over the units of a transcript: [k] speaks of the units before k. */
export interface Sums {
  /** Cost of those that may go: neither the first user message nor system messages. */
  readonly costBefore: readonly number[]
  /** Cost of their notes, sent inline. */
  readonly noteCostBefore: readonly number[]
  /** How many of them may go. */
  readonly ordinaryBefore: readonly number[]
}

/** Writes what the sums are after a unit. */
export function addSums(
  sums: { readonly [Name in keyof Sums]: number[] },
  { index, kind, tokens, noteTokens }: Unit,
  firstUser: number,
): void {
  const fixed = kind === 'system' || index === firstUser
  const goes = !fixed && kind !== 'stray' && kind !== 'note'
  sums.costBefore[index + 1] = sums.costBefore[index]! + (fixed ? 0 : tokens)
  sums.noteCostBefore[index + 1] = sums.noteCostBefore[index]! + noteTokens
  sums.ordinaryBefore[index + 1] = sums.ordinaryBefore[index]! + (goes ? 1 : 0)
}
