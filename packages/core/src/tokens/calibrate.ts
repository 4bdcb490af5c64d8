import { present } from '../log/values.ts'
import { bounded, type Calibration, one, toSteps } from './calibration.ts'
import { mapCounter, type TokenCounter } from './create-counter.ts'
import { likelyReply } from './reply-reserve.ts'

/** One call: what was predicted, and what the provider counted. */
export interface Usage {
  /** The counter that predicted. */
  readonly counter: TokenCounter
  /** The name of the model, as records of calls have it. */
  readonly model: string
  /** The counter's number for the prompt, without a factor. */
  readonly predicted: number
  /** The provider's number for the prompt. */
  readonly reported: number
  /** Whether something of the conversation is not sent as it is: each step of the factor then moves the cut. */
  readonly isCut?: boolean
  /** Whether the turn goes on with results of tools. */
  readonly isOpen?: boolean
}

/**
 * The calibration after one more report. The factor rises at once, as a prompt that is too long is cut in silence, and
 * falls one step at a time, as one short report proves little. In a conversation that is cut it falls only where it is far too
 * high, above all inside a turn, and rises only where the margin of an estimate does not do: calls, prose and files differ in
 * their tokens, and a factor that follows what is in view would change every prompt. Another model or counter begins anew.
 *
 * A report far below the prediction may come from a cut prompt: ask `looksTruncated` first, and do not calibrate by it.
 */
export function calibrate(previous: Calibration | undefined, usage: Usage): Calibration {
  const { counter, model, predicted, reported } = usage
  const current =
    previous?.model === model && previous.counter === counter.id ? previous : undefined
  const steps = current ? toSteps(current.factor) : one
  const next =
    isReport(predicted) && isReport(reported)
      ? move(steps, reported / predicted, current, usage)
      : steps
  if (current && next === steps) return current
  return { model, counter: counter.id, factor: next / one, ...present({ reply: current?.reply }) }
}

/** The calibration after a reply of this many tokens: the same object, unless the reply was longer than all before. */
export function withReply(calibration: Calibration, tokens: number): Calibration {
  const reply = likelyReply(tokens) ?? 0
  return reply > (calibration.reply ?? 0) ? { ...calibration, reply } : calibration
}

/** A factor of at least this, in the steps of calibrations. Later reports bring it down again. */
export const raisedTo = (factor: number): number => bounded(Math.ceil(factor * one - 0.01)) / one

/**
 * The counter with every number multiplied and rounded up. The factor is part of its id, as remembered counts are keyed by it.
 *
 * @example
 * calibrated(estimate(), 1.15).id // 'estimate-2/generic*1.15'
 */
export function calibrated(counter: TokenCounter, factor: number): TokenCounter {
  const steps = toSteps(factor)
  if (steps === one) return counter
  // Whole steps, so that a rounding error does not turn 1.15 × 100 into 116.
  return mapCounter(counter, `${counter.id}*${steps / one}`, tokens =>
    Math.ceil((tokens * steps) / one),
  )
}

/**
 * Whether a report shows that the provider cut the prompt in silence: the provider read much less than was sent, no more
 * than its window, and the prompt was near the window (a counter that is only wrong is also wrong on short prompts).
 * `window` is the provider's actual window: `num_ctx` in Ollama.
 */
export function looksTruncated(usage: {
  predicted: number
  reported: number
  window: number
}): boolean {
  const { predicted, reported, window } = usage
  if (!isReport(predicted) || !(reported > 0) || !(window > 0)) return false
  return reported < 0.8 * predicted && predicted > 0.9 * window && reported <= window
}

/** The share of a room that is kept free where the counter only estimates. */
export const inexactMargin = 0.05

/** How many steps too high a factor may be: while all is sent; in a cut conversation; inside a turn, where results were cleared. */
const nearWhole = 1
const nearCut = 5
const nearOpen = 8

function move(
  steps: number,
  ratio: number,
  current: Calibration | undefined,
  usage: Usage,
): number {
  const { counter, isCut = false, isOpen = false } = usage
  // Rounded up, but 1.0004 is not a reason to pay 5 % more.
  const wanted = bounded(Math.ceil(ratio * one - 0.01))
  // What the margin takes still fits, and a step would cut again.
  if (
    current &&
    isCut &&
    !counter.exact &&
    wanted > steps &&
    ratio * one <= steps * (1 + inexactMargin)
  )
    return steps
  if (wanted >= steps) return wanted
  // A little below proves nothing, and a factor that goes up and down would move the cut, and with it the prompt.
  const near = isCut ? (isOpen ? nearOpen : nearCut) : nearWhole
  if (current && steps - wanted <= near && (isCut || steps !== one)) return steps
  return current ? steps - 1 : Math.max(wanted, one - 1)
}

/** Whether a report is long enough to use: a short prompt is mostly framing, and says little about its text. */
const isReport = (tokens: number): boolean => Number.isFinite(tokens) && tokens >= 64
