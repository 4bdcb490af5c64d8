import type { Context, FitOptions } from '../../context/context.ts'
import type { Model, ModelSettings, ModelUsage, ToolSpec } from '../../models/model.ts'
import { ModelError } from '../../models/model-error.ts'
import type { NoteOptions } from '../../notes/index.ts'
import { codeOf } from '../end/end-failed.ts'
import type { TurnLog } from '../log/turn-log.ts'
import { countReply, type ModelReply, openReply, type Tally } from '../model-reply.ts'
import type { Emit, WarningCode } from '../turn-part.ts'
import { pauseBefore, sleep } from '../wait/backoff.ts'
import { callModel } from './call-model.ts'
import { compareUsage } from './compare-usage.ts'

/** How the model is called in a turn: the same for all rounds. */
export interface Asking {
  readonly log: TurnLog
  readonly emit: Emit
  readonly model: Model
  readonly window: number
  readonly reserve: number
  /** Of a tool result with more tokens the model sees only the beginning. */
  readonly mostResultTokens: number
  readonly system: string | undefined
  /** The tools as the model sees them. */
  readonly specs: readonly ToolSpec[]
  /** The tool that reads on in a clipped result: offered as soon as there is one. */
  readonly readOn?: ToolSpec | undefined
  readonly settings: ModelSettings
  readonly fit: Partial<FitOptions>
  readonly notes: NoteOptions | undefined
  readonly retries: number
  readonly backoffMs: number
  readonly stallMs: number
  readonly signal: AbortSignal
  /** `whole`: a reply is shown only when complete, so one that breaks off is dropped and asked for again. */
  readonly replies: 'streamed' | 'whole'
  /** Whether the model writes its notes with a tool. */
  readonly hasNoteTool: boolean
  readonly tally: Tally
}

/** Asks the model for one reply. A call that failed before anything was shown is made again. */
export async function askModel(asking: Asking): Promise<ModelReply> {
  const { log, emit, model, window, retries, backoffMs, signal, replies, tally } = asking
  let isFittedAgain = false
  for (let attempt = 1; ; ) {
    signal.throwIfAborted()
    const { context, factor, tools } = await prepare(asking)
    const reply = openReply(tally)
    const call = await log.startCall(context, model.name)
    let isShown = false
    try {
      const show: Emit = part => {
        isShown = true
        return emit(part)
      }
      await callModel(
        {
          ...asking,
          messages: context.messages,
          tools,
          show: replies === 'whole' ? () => {} : show,
        },
        reply,
      )
    } catch (error) {
      const outcome = signal.aborted ? cancelled : ({ status: 'failed', error: codeOf(error) } as const)
      // The first error says more than a failure to store the outcome.
      await call.end(outcome).catch(() => undefined)
      if (signal.aborted) throw signal.reason
      if (!(error instanceof ModelError) || isShown) throw error
      if (error.code === 'context_too_long' && !isFittedAgain) {
        isFittedAgain = true
        log.calibrate({ model: model.name, counter: log.count.id, factor: raised(factor) })
        await warn(
          emit,
          'fitted_again',
          `${model.name} says that the prompt is too long: it is fitted again.`,
        )
        continue
      }
      if (!error.isRetryable || attempt > retries) throw error
      const pause = pauseBefore(attempt, backoffMs, error.retryAfterMs)
      const problem = error.message.replace(/(?<![.!?])$/, '.')
      await warn(emit, 'retrying', `${problem} Trying again in ${pause} ms (${attempt} of ${retries}).`)
      await sleep(pause, signal)
      attempt += 1
      continue
    }
    countReply(tally, reply)
    const reported = readOf(reply.usage)
    await call.end({ status: 'completed', ...(reported === undefined ? {} : { reported }) })
    const cut = await compareUsage({ log, model, window, context, factor, reported })
    if (cut !== undefined) await warn(emit, 'prompt_truncated', cut)
    return reply
  }
}

const cancelled = { status: 'cancelled' } as const

/** Makes the context for the next call. A calibration shrinks the window instead of stretching every count. */
async function prepare(
  asking: Asking,
): Promise<{ context: Context; factor: number; tools: readonly ToolSpec[] }> {
  const { log, emit, model, window, reserve, mostResultTokens, system, specs, readOn, fit, notes } = asking
  const tools = readOn && (await log.hasClipped(mostResultTokens)) ? [...specs, readOn] : specs
  const factor = (await log.calibration(model.name))?.factor ?? 1
  const context = await log.context({
    overflow: 'trim',
    ...fit,
    window: Math.floor(window / factor),
    reserve: Math.floor(reserve / factor),
    mostResultTokens,
    tools,
    ...(notes?.nonce === undefined ? {} : { nonce: notes.nonce }),
    ...(system === undefined ? {} : { system }),
  })
  const { messages, receipt } = context
  await emit({ type: 'context', messages, receipt, factor })
  if (receipt.stretches.some(({ fate, rule }) => fate === 'altered' && rule === 'trim'))
    await warn(
      emit,
      'trimmed',
      'What must be sent does not fit the window: long texts were cut in their middle.',
    )
  return { context, factor, tools }
}

/** All prompt tokens that were read: some providers leave out those from their cache. */
function readOf({ promptTokens, cachedTokens = 0 }: ModelUsage): number | undefined {
  return promptTokens !== undefined && promptTokens < cachedTokens
    ? promptTokens + cachedTokens
    : promptTokens
}

/** Raises a factor by half, in the steps of calibrations. There is no third try; later reports bring it down again. */
const raised = (factor: number) => Math.min(4, Math.ceil(factor * 1.5 * 20) / 20)

const warn = (emit: Emit, code: WarningCode, message: string) => emit({ type: 'warning', code, message })
