import type { Context } from '../../context/context.ts'
import type { Model } from '../../models/model.ts'
import { calibrate, looksTruncated } from '../../tokens/calibration.ts'
import type { Report, TurnLog } from '../log/turn-log.ts'

export interface Comparison {
  readonly log: TurnLog
  readonly model: Model
  readonly window: number
  readonly context: Context
  /** The calibration factor that our counts were multiplied by. */
  readonly factor: number
  /** The prompt tokens that the provider says it read. */
  readonly reported: number | undefined
}

/**
 * Compares the tokens that the provider read with those that were sent. Logs a small difference as a calibration; returns
 * a warning if a part of the prompt was not read.
 */
export async function compareUsage(comparison: Comparison): Promise<string | undefined> {
  const { log, model, window, context, factor, reported } = comparison
  if (reported === undefined) return undefined
  const { tokens } = context
  const predicted = Math.ceil(tokens * factor)
  if (isPartial(comparison, { predicted, reported })) return undefined
  if (await isCut(comparison, { predicted, reported }))
    return `${model.name} read ${reported} tokens of a prompt of about ${predicted}: it was cut in silence. Is its window smaller than ${window}?`
  const next = calibrate(
    { model: model.name, counter: log.count.id, factor },
    { counter: log.count, model: model.name, predicted: tokens, reported },
  )
  if (next.factor !== factor) log.calibrate(next)
  return undefined
}

/**
 * Whether a report covers only the new part of a prompt: some servers leave out the prefix that is in their cache, and
 * some also their own last reply.
 */
function isPartial({ log, context, factor }: Comparison, { predicted, reported }: Report): boolean {
  const { tokens, receipt } = context
  const { prefix = none, parts } = receipt
  // A small shared prefix cannot explain a large difference.
  if (prefix.share < 1 - mostMissing || reported >= mostMissing * predicted) return false
  const unread = (tokens - prefix.tokens) * Math.max(1, factor)
  return reported <= unread * 1.05 && reported >= parts.latest * factor * leastOf(log)
}

/** Whether the provider cut the prompt: it read far fewer tokens than we reliably count. */
async function isCut(comparison: Comparison, { predicted, reported }: Report): Promise<boolean> {
  const { log, model, window, context } = comparison
  const { tokens, receipt } = context
  if (reported >= mostMissing * predicted || reported > window) return false
  if (tokens < fewest || reported < fewest / 2) return false
  if (log.count.exact) return true
  // An inexact counter may be wrong: only earlier reports of this model show that a prompt was cut.
  const reports = await log.reports(model.name)
  const isNearWindow = looksTruncated({ predicted, reported, window })
  return reports.some(report => {
    if (report.predicted < fewest || !(isNearWindow || isWhole(report, tokens))) return false
    // The part that was read before has as many tokens as then; the new part may have unusually few.
    const known = Math.min(report.predicted, receipt.prefix?.tokens ?? tokens)
    const least = expected(report, known) + (tokens - known) * leastOf(log)
    return reported < mostMissing * expected(report, tokens) && reported < 0.9 * least
  })
}

const none = { tokens: 0, share: 0 }

/** Whether a report is of a slightly shorter prompt, on which a wrong counter would be as wrong. */
const isWhole = ({ predicted }: Report, tokens: number) => predicted < tokens && predicted >= tokens / 2

const expected = ({ predicted, reported }: Report, tokens: number) => (tokens * reported) / predicted

/** The share of our count that a text has at least: for some languages the estimate says twice as many tokens. */
const leastOf = ({ count }: TurnLog) => (count.exact ? 0.75 : 0.4)

/** A report of at least this share of the predicted tokens may be of the whole prompt. */
const mostMissing = 0.8
/** Shorter prompts are not judged: unknown framing is too large a part of them. */
const fewest = 128
