import type { Context } from '../../context/context.ts'
import type { Model } from '../../models/model.ts'
import { calibrate, looksTruncated } from '../../tokens/calibration.ts'
import type { Report, TurnLog } from '../log/turn-log.ts'

export interface Comparison {
  readonly log: TurnLog
  readonly model: Model
  readonly window: number
  readonly context: Context
  /** What our counts were multiplied by. */
  readonly factor: number
  /** What the provider says it read. */
  readonly reported: number | undefined
}

/**
 * Compares what the provider read with what was sent. A small difference is learnt; where a part is missing, the warning
 * is given back.
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
 * Some servers report only what they had not read before: what this prompt does not share with the last one, or of that
 * only what is newer than their own reply. It says nothing of the whole.
 */
function isPartial({ log, context, factor }: Comparison, { predicted, reported }: Report): boolean {
  const { tokens, receipt } = context
  const { prefix = none, parts } = receipt
  // What a small prefix does not explain is the counter's fault, or a cut.
  if (prefix.share < 1 - mostMissing || reported >= mostMissing * predicted) return false
  const unread = (tokens - prefix.tokens) * Math.max(1, factor)
  return reported <= unread * 1.05 && reported >= parts.latest * factor * leastOf(log)
}

/** Where the counts of a prompt are known to be right, far fewer tokens than those mean that some were not read. */
async function isCut(comparison: Comparison, { predicted, reported }: Report): Promise<boolean> {
  const { log, model, window, context } = comparison
  const { tokens, receipt } = context
  if (reported >= mostMissing * predicted || reported > window) return false
  if (tokens < fewest || reported < fewest / 2) return false
  if (log.count.exact) return true
  // Without another report to hold against it, this may as well be a counter that is wrong: it is learnt from.
  const reports = await log.reports(model.name)
  const isNearWindow = looksTruncated({ predicted, reported, window })
  return reports.some(report => {
    if (report.predicted < fewest || !(isNearWindow || isWhole(report, tokens))) return false
    // What was read before has its tokens still; what is new since may have fewer than those that we are used to.
    const known = Math.min(report.predicted, receipt.prefix?.tokens ?? tokens)
    const least = expected(report, known) + (tokens - known) * leastOf(log)
    return reported < mostMissing * expected(report, tokens) && reported < 0.9 * least
  })
}

const none = { tokens: 0, share: 0 }

/** A counter that is only wrong is as wrong on a prompt that is a little shorter. */
const isWhole = ({ predicted }: Report, tokens: number) => predicted < tokens && predicted >= tokens / 2

const expected = ({ predicted, reported }: Report, tokens: number) => (tokens * reported) / predicted

/** A text may have as few tokens as this part of our count: an estimate says twice as many for some languages. */
const leastOf = ({ count }: TurnLog) => (count.exact ? 0.75 : 0.4)

/** A prompt with this part of its tokens, or more, may have been read whole. */
const mostMissing = 0.8
/** Of a short prompt, the framing that nobody sees is too large a part. */
const fewest = 128
