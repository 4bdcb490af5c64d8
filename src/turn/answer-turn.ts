import { type Asking, askModel } from './ask/ask-model.ts'
import type { TurnProgress } from './log/turn-progress.ts'
import { emptyReply, type ModelReply, type ReplyCall, toMessage, toSeen } from './model-reply.ts'
import { takeNoteCalls } from './tools/note-calls.ts'

/** What differs between those who have turns answered. */
export interface TurnClient {
  /** Runs calls that wait for a result, and keeps their results. */
  runCalls(waiting: readonly ReplyCall[]): Promise<void>
  /** Whether the turn ends after the round that it has come to, although the model would go on. */
  isOver(progress: TurnProgress): boolean
  /** Asked before the model is: false ends the turn. */
  beforeCall?(round: number): Promise<boolean>
  /** Told of a reply before it is kept. */
  onReply?(reply: ModelReply, round: number): Promise<void>
  /** Told of a reply once it is kept. */
  onKept?(reply: ModelReply, round: number): Promise<void>
}

export interface TurnToAnswer extends Pick<Asking, 'log' | 'signal'> {
  /** Settles how the model is asked: only where it is. */
  readonly setUp: () => Promise<Asking>
}

/** Goes on with a turn until it has ended. What comes next is read from what was said, so it may begin anywhere. */
export async function answerTurn({ log, signal, setUp }: TurnToAnswer, client: TurnClient): Promise<void> {
  let asking: Asking | undefined
  for (;;) {
    signal.throwIfAborted()
    const { rounds, waiting, note } = log.progress
    if (waiting.length > 0) {
      await client.runCalls(waiting)
      continue
    }
    if (rounds > 0 && client.isOver(log.progress)) return log.complete([], note)
    if (client.beforeCall && !(await client.beforeCall(rounds + 1))) {
      // An empty reply: a user message without an answer would break the next call.
      return log.complete(rounds > 0 ? [] : [toSeen(toMessage(emptyReply()))], note)
    }
    asking ??= await setUp()
    if (await answerOnce(asking, client)) return
  }
}

/**
 * One call of the model, and what it said is kept. True when that ended the turn; else it has calls that wait, which may
 * be run in a later request.
 */
export async function answerOnce(
  asking: Asking,
  { onReply, onKept }: Pick<TurnClient, 'onReply' | 'onKept'> = {},
): Promise<boolean> {
  const { log, tally, hasNoteTool } = asking
  const { rounds, note: earlier } = log.progress
  const reply = await askModel(asking)
  await warnOf(reply, asking)
  await onReply?.(reply, rounds + 1)
  const { note = reply.note, answers, others } = takeNoteCalls(reply, hasNoteTool)
  const said = toSeen(toMessage(reply))
  const answered = answers.map(message => ({ message }))
  // A note beside the answer is no reason to ask again: the model would have to say it twice.
  const isAnswer = others.length === 0 && (reply.calls.length === 0 || reply.text.trim() !== '')
  if (isAnswer) await log.complete([said, ...answered], note ?? earlier)
  else await log.append(() => [note === undefined ? said : { ...said, data: { note } }, ...answered])
  tally.arriving = emptyReply()
  await onKept?.(reply, rounds + 1)
  return isAnswer
}

async function warnOf({ reason, text, calls }: ModelReply, { emit }: Asking): Promise<void> {
  if (reason === 'length')
    await emit({ type: 'warning', code: 'reply_cut', message: 'The reply was cut: it reached its longest.' })
  if (text.trim() === '' && calls.length === 0) {
    const message = 'The model answered nothing that a user may see.'
    await emit({ type: 'warning', code: 'empty_reply', message })
  }
}
