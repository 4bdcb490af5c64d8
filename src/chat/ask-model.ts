import type { Context, FitOptions } from '../context/context.ts'
import type { Model, ModelSettings, ToolSpec } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import type { NoteOptions } from '../notes/index.ts'
import { calibrate, looksTruncated } from '../tokens/calibration.ts'
import { pauseBefore, sleep } from './backoff.ts'
import { callModel, emptyReply, type ModelReply } from './call-model.ts'
import type { ChatPart } from './chat-part.ts'
import type { Session } from './session.ts'

export interface Asking {
  readonly session: Session
  readonly model: Model
  readonly window: number
  readonly reserve: number
  readonly system: string | undefined
  readonly specs: readonly ToolSpec[]
  readonly settings: ModelSettings
  readonly fit: Partial<FitOptions>
  readonly notes: NoteOptions | undefined
  readonly retries: number
  readonly backoffMs: number
  readonly stallMs: number
  readonly signal: AbortSignal
  /** What has arrived of the reply that is being written. */
  readonly onReply: (reply: ModelReply) => void
}

/** Asks the model once, as often as it takes: a call that failed before anything was shown is made again. */
export async function* askModel(asking: Asking): AsyncGenerator<ChatPart, ModelReply> {
  const { session, model, retries, backoffMs, signal, onReply } = asking
  let isFittedAgain = false
  for (let attempt = 1; ; ) {
    const { context, factor } = yield* prepare(asking)
    const reply = emptyReply()
    onReply(reply)
    let isShown = false
    try {
      for await (const part of callModel(
        { ...asking, messages: context.messages, tools: asking.specs },
        reply,
      )) {
        isShown = true
        yield part
      }
      await session.saveCall(context, { model: model.name, ...reportedBy(reply) })
      yield* compare(asking, context, factor, reply)
      return reply
    } catch (error) {
      if (signal.aborted) throw signal.reason
      if (!(error instanceof ModelError) || isShown) throw error
      if (error.code === 'context_too_long' && !isFittedAgain) {
        isFittedAgain = true
        session.calibrate({ model: model.name, counter: session.count.id, factor: raised(factor) })
        yield warning('fitted_again', `${model.name} says that the prompt is too long: it is fitted again.`)
        continue
      }
      if (!error.isRetryable || attempt > retries) throw error
      const pause = pauseBefore(attempt, backoffMs, error.retryAfterMs)
      yield warning('retrying', `${error.message} Trying again in ${pause} ms (${attempt} of ${retries}).`)
      await sleep(pause, signal)
      attempt += 1
    }
  }
}

/** The context for the next call. A calibration shrinks the window instead of stretching every count. */
async function* prepare(asking: Asking): AsyncGenerator<ChatPart, { context: Context; factor: number }> {
  const { session, model, window, reserve, system, specs, fit, notes } = asking
  const factor = (await session.calibration(model.name))?.factor ?? 1
  const context = await session.context({
    overflow: 'trim',
    ...fit,
    window: Math.floor(window / factor),
    reserve: Math.floor(reserve / factor),
    tools: specs,
    ...(notes?.nonce === undefined ? {} : { nonce: notes.nonce }),
    ...(system === undefined ? {} : { system }),
  })
  const { messages, receipt } = context
  yield { type: 'context', messages, receipt, factor }
  if (receipt.entries.some(({ fate, rule }) => fate === 'altered' && rule === 'trim'))
    yield warning(
      'trimmed',
      'What must be sent does not fit the window: long texts were cut in their middle.',
    )
  return { context, factor }
}

/** What the provider read is compared with what was sent. */
function* compare(
  { session, model, window }: Asking,
  { tokens }: Context,
  factor: number,
  { usage: { promptTokens: reported } }: ModelReply,
): Generator<ChatPart> {
  if (reported === undefined) return
  const predicted = Math.ceil(tokens * factor)
  if (looksTruncated({ predicted, reported, window })) {
    const message = `${model.name} read ${reported} tokens of a prompt of about ${predicted}: it was cut in silence. Is its window smaller than ${window}?`
    yield warning('prompt_truncated', message)
    return
  }
  const before = { model: model.name, counter: session.count.id, factor }
  const next = calibrate(factor === 1 ? undefined : before, {
    counter: session.count,
    model: model.name,
    predicted: tokens,
    reported,
  })
  if (next.factor !== factor) session.calibrate(next)
}

/** A fifth more, in the steps that calibrations have. */
const raised = (factor: number) => Math.ceil(factor * 1.2 * 20) / 20

const reportedBy = ({ usage: { promptTokens } }: ModelReply) =>
  promptTokens === undefined ? {} : { reported: promptTokens }

function warning(code: Extract<ChatPart, { type: 'warning' }>['code'], message: string): ChatPart {
  return { type: 'warning', code, message }
}
