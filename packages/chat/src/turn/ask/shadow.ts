import { type Context, spongebob } from '@throughline/core/context'
import { calibrate, withReply } from '@throughline/core/counters'
import { type MessageLike, readMessage } from '@throughline/core/messages'
import { toModelTokens } from '@throughline/core/tokens'
import { present } from '@throughline/core/values'
import { type ShadowAccount, wholeRuns } from '@throughline/history/calls'
import { createRests } from '@throughline/history/log'
import { countReply, emptyReply, type ModelReply } from '../reply.ts'
import type { Asking } from '../turn-options.ts'
import { endFailed, minReportedShare, readOf, replyTokens } from './ask-model.ts'
import { callModel } from './call-model.ts'
import { nextContext } from './next-context.ts'

/** Asks the model once with the client's own list. Whatever it answers, nothing of the prompt is changed for another try. */
export async function askPassed(
  asking: Asking,
  passed: readonly MessageLike[],
): Promise<ModelReply> {
  const { log, emit, model, signal, replies, tally, settings, specs: tools } = asking
  const shadow = await shadowOf(asking, passed)
  const reply = emptyReply()
  tally.replies.push(reply)
  tally.arriving = reply
  const call =
    shadow &&
    (await log.startCall(
      shadow.next.context,
      model.name,
      shadow.next.room,
      settings,
      shadow.account,
    ))
  const show = (part: Parameters<typeof emit>[0]) => (replies === 'whole' ? undefined : emit(part))
  try {
    await callModel({ ...asking, messages: passed, tools, show }, reply)
  } catch (error) {
    await endFailed(call, reply, error, signal)
    throw signal.aborted ? signal.reason : error
  }
  countReply(tally, reply)
  if (shadow) learn(asking, shadow, reply)
  const { cachedTokens: cached } = reply.usage
  const late = present({ cached, reported: readOf(reply.usage), sent: await reply.sent })
  call?.keep({ status: 'completed', ...late })
  return reply
}

/** Takes over what the provider reports of the list. A report of far fewer tokens may leave out what was cached. */
function learn(asking: Asking, { next, account }: Shadowed, reply: ModelReply): void {
  const { log, model } = asking
  const { calibration } = next
  const { factor } = calibration
  const { tokens: predicted } = account
  const reported = readOf(reply.usage) ?? 0
  const isWhole = reported >= minReportedShare * toModelTokens(predicted, factor)
  const usage = { counter: log.count, model: model.name, predicted, reported }
  const compared = isWhole
    ? calibrate(calibration, { ...usage, isOpen: reply.calls.length > 0 })
    : calibration
  const learned = withReply(compared, replyTokens(reply, asking, factor))
  if (learned !== calibration) log.calibrate(learned)
}

/** A call that sends the client's own list. What would have been sent in its place is made and stored, never sent. */
interface Shadowed {
  readonly next: Awaited<ReturnType<typeof nextContext>>
  readonly account: ShadowAccount
}

/** Makes the context that would have been sent. Undefined if that fails: the call goes on whatever becomes of it. */
async function shadowOf(
  asking: Asking,
  passed: readonly MessageLike[],
): Promise<Shadowed | undefined> {
  try {
    const next = await wouldBe(asking)
    const tail = await tailOf(asking)
    const tokens = await countPassed(asking, passed)
    const runs = wholeRuns(tail.receipt.stretches)
    return {
      next,
      account: { messages: passed.length, tokens, tail: { tokens: tail.tokens, runs } },
    }
  } catch {
    return undefined
  }
}

/** A request that would have been refused, as it cannot fit, is shown with all that it needs. */
const wouldBe = (asking: Asking) =>
  nextContext(asking).catch(() =>
    nextContext({ ...asking, fit: { ...asking.fit, overflow: 'keep' } }),
  )

/** The newest messages that fit the same room. */
async function tailOf(asking: Asking): Promise<Context> {
  const { log, fit } = asking
  const { context } = await nextContext({
    ...asking,
    fit: { ...fit, policy: spongebob(), overflow: 'keep' },
    // At a place, so that it is not taken for the context of the last call.
    log: { ...log, context: options => log.context({ ...options, at: Number.MAX_SAFE_INTEGER }) },
  })
  return context
}

async function countPassed({ log: { count }, specs }: Asking, passed: readonly MessageLike[]) {
  const rest = createRests()
  let tokens = (count.prompt ?? 0) + count.tools(specs)
  for (const [at, message] of passed.entries()) {
    const read = readMessage(message, at)
    tokens += count.message(read)
    const pause = rest(read.text.length)
    if (pause) await pause
  }
  return tokens
}
