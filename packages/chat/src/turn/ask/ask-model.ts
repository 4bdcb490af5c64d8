import { type Context, withoutLateSystem } from '@throughline/core/context'
import { calibrate, looksTruncated, withReply } from '@throughline/core/counters'
import type { Calibration } from '@throughline/core/messages'
import { isUnknownWindow, shownWindow, toModelTokens } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import type { LateAccount } from '@throughline/history/calls'
import { ModelError, type ModelUsage } from '@throughline/models/model'
import { sleep } from '@throughline/models/waiting'
import { codeOf } from '../end-failed.ts'
import type { Report, StartedCall, TurnLog } from '../log/turn-log.ts'
import { countReply, type Emit, emptyReply, type ModelReply, type WarningCode } from '../reply.ts'
import type { Asking } from '../turn-options.ts'
import { callModel, pauseAfter } from './call-model.ts'
import { findWindow } from './find-window.ts'
import { fitAgain } from './fit-again.ts'
import { type FitRequest, nextContext } from './next-context.ts'
import { trimmedTokens } from './trimmed-tokens.ts'

/** Asks the model for one reply. A call that failed before anything was shown is made again. */
export async function askModel(asking: Asking): Promise<ModelReply> {
  const { log, emit, model, retries, signal, replies, tally } = asking
  const warn = (code: WarningCode, message: string) => emit({ type: 'warning', code, message })
  let isFittedAgain = false
  let noFiles: string | undefined
  let { fit, mostResultTokens } = asking
  // An earlier reply of this turn may have told it.
  let window = isUnknownWindow(asking.window) ? await findWindow(model, asking) : asking.window
  for (let attempt = 1; ; ) {
    signal.throwIfAborted()
    const next = await prepare({ ...asking, fit, window, mostResultTokens, noFiles }, warn)
    const { context, tools, hasFiles, calibration, room } = next
    const { factor, mostReply: maxTokens } = room
    const settings = { ...asking.settings, ...present({ maxTokens }) }
    const reply = emptyReply()
    tally.replies.push(reply)
    tally.arriving = reply
    const call = await log.startCall(context, model.name, room, settings)
    let isShown = false
    const show: Emit = part => {
      if (replies === 'whole') return
      isShown = true
      return emit(part)
    }
    try {
      await callModel({ ...asking, settings, messages: context.messages, tools, show }, reply)
    } catch (error) {
      await endFailed(call, reply, error, signal)
      if (signal.aborted) throw signal.reason
      if (!(error instanceof ModelError) || isShown) throw error
      if (error.code === 'context_too_long') {
        const again = isFittedAgain
          ? undefined
          : await fitAgain(asking, error, { context, calibration, window })
        if (!again) throw error
        isFittedAgain = true
        ;({ window, mostResultTokens } = again)
        log.calibrate(again.calibration)
        await warn(
          'fitted_again',
          `${model.name} says that the prompt is too long: it is fitted again, into a window of ${window} tokens.`,
        )
      } else if (error.code === 'files_refused' && hasFiles && noFiles === undefined) {
        noFiles = 'the model server refused it'
        await warn(
          'files_left_out',
          `${model.name} does not take the files that were sent: it is asked without.`,
        )
      } else if (
        error.code === 'system_refused' &&
        context.receipt.changing &&
        fit === asking.fit
      ) {
        fit = { ...fit, systemPrompt: withoutLateSystem(fit.systemPrompt) }
        await warn(
          'prompt_as_sent',
          `${model.name} takes system messages only at the front: its prompt is sent as it came.`,
        )
      } else {
        const pause = pauseAfter(error, attempt, asking)
        const problem = error.message.replace(/(?<![.!?])$/, '.')
        await warn('retrying', `${problem} Trying again in ${pause} ms (${attempt} of ${retries}).`)
        await sleep(pause, signal)
        attempt += 1
      }
      continue
    }
    countReply(tally, reply)
    const reported = readOf(reply.usage)
    const report = { reported, isOpen: reply.calls.length > 0 }
    const { cut, isPartial, ...compared } = await compareUsage(
      { ...asking, window },
      context,
      calibration,
      report,
    )
    const learned = withReply(compared.learned ?? calibration, replyTokens(reply, asking, factor))
    if (learned !== calibration) log.calibrate(learned)
    const cache = readCache({ context, factor, reply, reported, isLocal: model.isLocal, isPartial })
    const warnings = [
      ...(cut === undefined ? [] : ['prompt_truncated']),
      ...(cache.cacheLost === undefined ? [] : ['cache_lost']),
    ]
    call.keep({
      status: 'completed',
      ...cache,
      ...present({ reported, sent: await reply.sent }),
      ...(warnings.length > 0 && { warnings }),
    })
    if (cut !== undefined) await warn('prompt_truncated', cut)
    if (cache.cacheLost !== undefined)
      await warn('cache_lost', `${model.name} read most of the prompt again: ${cache.cacheLost}.`)
    return reply
  }
}

/** Records how a call failed. Never throws: the error itself says more than a failure to store it. */
export async function endFailed(
  call: Pick<StartedCall, 'end'> | undefined,
  reply: ModelReply,
  error: unknown,
  signal: AbortSignal,
): Promise<void> {
  const outcome = signal.aborted
    ? ({ status: 'cancelled' } as const)
    : ({ status: 'failed', error: codeOf(error) } as const)
  await call?.end({ ...outcome, ...present({ sent: await reply.sent }) }).catch(() => undefined)
}

async function prepare(
  asking: Asking & Pick<FitRequest, 'noFiles'>,
  warn: (code: WarningCode, message: string) => void | Promise<void>,
) {
  const next = await nextContext(asking)
  const { messages, receipt } = next.context
  await asking.emit({ type: 'context', messages, receipt, ...next.room })
  const trimmed = trimmedTokens(receipt)
  if (trimmed > 0)
    await warn(
      'trimmed',
      `What must be sent does not fit the window: ${trimmed} tokens of long texts were cut in their middle.`,
    )
  return next
}

/** The tokens of a reply, thoughts included, as the provider reports them, else as we count them. */
export function replyTokens(
  reply: ModelReply,
  { log }: Pick<Asking, 'log'>,
  factor: number,
): number {
  const { usage, text, thinking, calls } = reply
  if (usage.replyTokens !== undefined) return usage.replyTokens
  const texts = [text, thinking, ...calls.map(({ arguments: json }) => json)]
  return texts.reduce((sum, one) => sum + log.count.text(one), 0) * factor
}

/** All prompt tokens that were read: some providers leave out those from their cache. */
export function readOf({ promptTokens, cachedTokens = 0 }: ModelUsage): number | undefined {
  return promptTokens !== undefined && promptTokens < cachedTokens
    ? promptTokens + cachedTokens
    : promptTokens
}

/** Compares the prompt tokens that were read with those that were sent: gives a better calibration, or a warning. */
async function compareUsage(
  asking: Pick<Asking, 'log' | 'model' | 'window'>,
  context: Context,
  calibration: Calibration,
  { reported, isOpen }: { readonly reported: number | undefined; readonly isOpen: boolean },
): Promise<{
  readonly cut?: string
  readonly learned?: Calibration
  readonly isPartial?: boolean
}> {
  const { log, model, window } = asking
  const { factor } = calibration
  if (reported === undefined) return {}
  const { tokens } = context
  const report = { predicted: Math.ceil(tokens * factor), reported }
  if (isPartial(log, context, factor, report)) return { isPartial: true }
  if (await wasCut(asking, context, report))
    return {
      cut: `${model.name} read ${reported} tokens of a prompt of about ${report.predicted}: it was cut in silence. Is its window smaller than ${shownWindow(window) ?? 'the prompt'}?`,
    }
  // What was never corrected may fall once, wherever the conversation stands.
  const isCorrected = (await log.calibration(model.name)) !== undefined
  const isCut = isCorrected && context.receipt.cut !== undefined
  const usage = {
    counter: log.count,
    model: model.name,
    predicted: tokens,
    reported,
    isCut,
    isOpen,
  }
  return { learned: calibrate(calibration, usage) }
}

/** Whether a report leaves out the prefix that is in the server's cache, as some do, and perhaps its own last reply. */
function isPartial(
  log: TurnLog,
  context: Context,
  factor: number,
  { predicted, reported }: Report,
): boolean {
  const { tokens, receipt } = context
  const { prefix = { tokens: 0, share: 0 }, parts } = receipt
  // A small shared prefix cannot explain a large difference.
  if (prefix.share < 1 - minReportedShare || reported >= minReportedShare * predicted) return false
  const unread = (tokens - prefix.tokens) * Math.max(1, factor)
  return reported <= unread * 1.05 && reported >= parts.latest * factor * leastOf(log)
}

/** Whether the provider cut the prompt: it read far fewer tokens than we reliably count. */
async function wasCut(
  { log, model, window }: Pick<Asking, 'log' | 'model' | 'window'>,
  { tokens, receipt }: Context,
  { predicted, reported }: Report,
): Promise<boolean> {
  if (reported >= minReportedShare * predicted || reported > window) return false
  if (tokens < minJudgedTokens || reported < minJudgedTokens / 2) return false
  if (log.count.exact) return true
  // An inexact counter may be wrong: only earlier reports of this model show that a prompt was cut.
  const reports = await log.reports(model.name)
  const isNearWindow = looksTruncated({ predicted, reported, window })
  return reports.some(report => {
    if (report.predicted < minJudgedTokens || !(isNearWindow || isWhole(report, tokens)))
      return false
    // The part that was read before has as many tokens as then; the new part may have unusually few.
    const readBefore = Math.min(report.predicted, receipt.prefix?.tokens ?? tokens)
    const least = expected(report, readBefore) + (tokens - readBefore) * leastOf(log)
    return reported < minReportedShare * expected(report, tokens) && reported < 0.9 * least
  })
}

/** Whether a report is of a slightly shorter prompt, on which a wrong counter would be as wrong. */
const isWhole = ({ predicted }: Report, tokens: number) =>
  predicted < tokens && predicted >= tokens / 2

const expected = ({ predicted, reported }: Report, tokens: number) =>
  (tokens * reported) / predicted

/** The share of our count that a text has at least: for some languages the estimate says twice as many tokens. */
const leastOf = ({ count }: TurnLog) => (count.exact ? 0.75 : 0.4)

/** A report of at least this share of the predicted tokens may be of the whole prompt. */
export const minReportedShare = 0.8
/** Shorter prompts are not judged: they are read at once, and unknown framing is too large a part of them. */
const minJudgedTokens = 128

interface CacheReading {
  readonly context: Pick<Context, 'tokens' | 'receipt'>
  readonly factor: number
  readonly reply: Pick<ModelReply, 'usage' | 'details'>
  readonly reported?: number | undefined
  readonly isLocal?: boolean | undefined
  /** Whether the server reported only the tokens that it had to read. */
  readonly isPartial?: boolean | undefined
}

/**
 * How many tokens came from the server's cache. For a local server also why, if that is less than 90 % of what was the same;
 * at a provider a cache ends by the clock.
 */
export function readCache(call: CacheReading): Pick<LateAccount, 'cached' | 'cacheLost'> {
  const { context, factor, reply, reported, isLocal = false, isPartial = false } = call
  const predicted = toModelTokens(context.tokens, factor)
  const reportedCached = isPartial ? predicted - (reported ?? 0) : reply.usage.cachedTokens
  if (reportedCached === undefined) return {}
  const cached = Math.max(0, Math.round(reportedCached))
  // Shares are compared: our counts may be far from the server's.
  const whole = isPartial || reported === undefined ? predicted : reported
  const expected = whole * (context.receipt.prefix?.share ?? 0)
  const isLost = isLocal && expected >= minJudgedTokens && cached < expected * 0.9
  return isLost
    ? { cached, cacheLost: reasonFor(call, cached / whole, expected / whole) }
    : { cached }
}

/** `cached` and `expected`: shares of the prompt. */
function reasonFor({ context, reply }: CacheReading, cached: number, expected: number): string {
  const { load_duration: loading } = reply.details ?? {}
  // Ollama tells how long it took to load the model: a loaded one is found in some milliseconds.
  if (typeof loading === 'number' && loading > 1e9) return 'the model was unloaded'
  if (cached < expected / 10) return 'something else used this slot'
  let place = 0
  let read = 0
  for (const { tokens } of context.receipt.sent) {
    read += tokens
    if (read > cached * context.tokens) break
    place += 1
  }
  return `the prompt changed at message ${place + 1}`
}
