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
