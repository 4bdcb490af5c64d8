import type { Context, FitOptions } from '../context/context.ts'
import type { Model, ModelSettings, ModelUsage, ToolSpec } from '../models/model.ts'
import { ModelError } from '../models/model-error.ts'
import type { NoteOptions } from '../notes/index.ts'
import { pauseBefore, sleep } from './backoff.ts'
import { callModel, emptyReply, type ModelReply } from './call-model.ts'
import type { ChatPart, WarningCode } from './chat-part.ts'
import { compareUsage } from './compare-usage.ts'
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
  const { session, model, window, retries, backoffMs, signal, onReply } = asking
  let isFittedAgain = false
  for (let attempt = 1; ; ) {
    signal.throwIfAborted()
    const { context, factor } = yield* prepare(asking)
    const reply = emptyReply()
    onReply(reply)
    let isShown = false
    try {
      const call = { ...asking, messages: context.messages, tools: asking.specs }
      for await (const part of callModel(call, reply)) {
        isShown = true
        yield part
      }
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
      continue
    }
    const reported = readOf(reply.usage)
    await session.saveCall(context, { model: model.name, ...(reported === undefined ? {} : { reported }) })
    yield* compareUsage({ session, model, window, context, factor, reported })
    return reply
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
  if (receipt.stretches.some(({ fate, rule }) => fate === 'altered' && rule === 'trim'))
    yield warning(
      'trimmed',
      'What must be sent does not fit the window: long texts were cut in their middle.',
    )
  return { context, factor }
}

/** All that was read: some providers do not count what they had in their cache. */
function readOf({ promptTokens, cachedTokens = 0 }: ModelUsage): number | undefined {
  return promptTokens !== undefined && promptTokens < cachedTokens
    ? promptTokens + cachedTokens
    : promptTokens
}

/** Half as much again, in the steps that calibrations have: there is no third try, and reports bring it down again. */
const raised = (factor: number) => Math.min(4, Math.ceil(factor * 1.5 * 20) / 20)

const warning = (code: WarningCode, message: string): ChatPart => ({ type: 'warning', code, message })
