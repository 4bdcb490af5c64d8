import { isCount } from '../log/values.ts'

/** What calls of a model have taught. Logged, so that a context can be built again. */
export interface Calibration {
  /** The name of the model, as records of calls have it. */
  readonly model: string
  /** The id of the counter that predicted. */
  readonly counter: string
  /** The counter's numbers are multiplied by this: 0.5 to 4, in steps of 0.05. */
  readonly factor: number
  /** The tokens to keep free for a reply as long as the longest one so far; absent while all were short. See `replyReserve`. */
  readonly reply?: number
}

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

/** Whether a value from outside is a calibration: a wrong factor would change how much is sent. */
export function isCalibration(value: unknown): value is Calibration {
  const { model, counter, factor, reply = 0 } = (value ?? {}) as Partial<Calibration>
  return (
    typeof model === 'string' && typeof counter === 'string' && isFactor(factor) && isCount(reply)
  )
}

export const isFactor = (value: unknown): value is number =>
  typeof value === 'number' && value * one >= lowest && value * one <= highest

/** Factors are counted in twentieths: floating steps of 0.05 would drift. */
export const one = 20
const lowest = 0.5 * one
const highest = 4 * one

export const toSteps = (factor: number): number =>
  Number.isFinite(factor) ? bounded(Math.round(factor * one)) : one

export const bounded = (steps: number): number => Math.min(highest, Math.max(lowest, steps))
