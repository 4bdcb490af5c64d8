import type { Context } from '../context/context.ts'
import type { Model } from '../models/model.ts'
import { calibrate, looksTruncated } from '../tokens/calibration.ts'
import type { ChatPart } from './chat-part.ts'
import type { Report, Session } from './session.ts'

export interface Comparison {
  readonly session: Session
  readonly model: Model
  readonly window: number
  readonly context: Context
  /** What our counts were multiplied by. */
  readonly factor: number
  /** What the provider says it read. */
  readonly reported: number | undefined
}

/** What the provider read is compared with what was sent: a part that is missing is told, a small difference is learnt. */
export async function* compareUsage(comparison: Comparison): AsyncGenerator<ChatPart, void> {
  const { session, model, window, context, factor, reported } = comparison
  if (reported === undefined) return
  const { tokens } = context
  const predicted = Math.ceil(tokens * factor)
  if (await isCut(comparison, { predicted, reported })) {
    const message = `${model.name} read ${reported} tokens of a prompt of about ${predicted}: it was cut in silence. Is its window smaller than ${window}?`
    yield { type: 'warning', code: 'prompt_truncated', message }
    return
  }
  const next = calibrate(
    { model: model.name, counter: session.count.id, factor },
    { counter: session.count, model: model.name, predicted: tokens, reported },
  )
  if (next.factor !== factor) session.calibrate(next)
}

/** Where the counts of a prompt are known to be right, far fewer tokens than those mean that some were not read. */
async function isCut(comparison: Comparison, { predicted, reported }: Report): Promise<boolean> {
  const { session, model, window, context } = comparison
  const { tokens } = context
  if (reported >= mostMissing * predicted || reported > window) return false
  // Some servers report only what they had not read before.
  if (tokens < fewest || reported < fewest / 2) return false
  if (session.count.exact || looksTruncated({ predicted, reported, window })) return true
  const earlier = await session.reports(model.name)
  return earlier.some(report => isWhole(report, tokens) && reported < mostMissing * expected(report, tokens))
}

/** A counter that is only wrong is as wrong on a prompt that is a little shorter. */
const isWhole = ({ predicted }: Report, tokens: number) =>
  predicted >= fewest && predicted < tokens && predicted >= tokens / 2

const expected = ({ predicted, reported }: Report, tokens: number) => (tokens * reported) / predicted

/** A prompt with this part of its tokens, or more, may have been read whole. */
const mostMissing = 0.8
/** Of a short prompt, the framing that nobody sees is too large a part. */
const fewest = 128
