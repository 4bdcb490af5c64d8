import { one, toSteps } from './calibration.ts'

/** A window and a reserve as they were set, in the model's tokens, and the factor that turns our counts into these. */
export interface Room {
  readonly window: number
  readonly reserve: number
  readonly factor: number
  /** Why this number of tokens is kept free; absent where the caller set it. */
  readonly reserveWhy?: string
  /** The most tokens of the reply that the model is asked for; absent without a limit. */
  readonly mostReply?: number
}

/** The same room in our counts: the window shrinks, and no count is stretched. What fits into it also fits into the window. */
export const inCounts = ({ window, reserve, factor }: Room) => ({
  window: Math.floor(window / factor),
  reserve: Math.ceil(reserve / factor),
})

/** One of our counts in the model's tokens. */
export const toModelTokens = (tokens: number, factor: number): number =>
  Math.round((tokens * toSteps(factor)) / one)

/** The parts of a prompt in the model's tokens. The largest one takes what rounding leaves, so that they are all its `tokens`. */
export function partsInModel<Part extends string>(
  parts: Readonly<Record<Part, number>>,
  tokens: number,
  factor: number,
): Readonly<Record<Part, number>> {
  if (factor === 1) return parts
  const amounts = Object.entries<number>(parts).map(([part, counted]) => ({
    part,
    amount: toModelTokens(counted, factor),
  }))
  const [largest] = amounts.toSorted((a, b) => b.amount - a.amount)
  if (largest) largest.amount += tokens - amounts.reduce((sum, { amount }) => sum + amount, 0)
  return Object.fromEntries(amounts.map(({ part, amount }) => [part, amount])) as Record<
    Part,
    number
  >
}
