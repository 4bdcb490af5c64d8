import { findStandIn, notedResult, noteToolName } from '@throughline/core/messages'
import { readNoteCall } from '@throughline/core/notes'
import type { ReplyCall } from '@throughline/models/model'
import { TooLargeError } from '@throughline/stores/errors'
import { askModel } from './ask/ask-model.ts'
import { tooLarge } from './ask/call-model.ts'
import { askPassed } from './ask/shadow.ts'
import type { TurnProgress } from './log/turn-log.ts'
import { emptyReply, type ModelReply, toMessage, toSeen } from './reply.ts'
import type { Asking } from './turn-options.ts'

/** What differs between the clients of the engine. */
export interface TurnClient {
  /** Runs the waiting calls and logs their results. Absent, or if it gives false, the turn stays open: the client runs them. */
  runCalls?(waiting: readonly ReplyCall[]): Promise<boolean>
  /** Whether the turn ends after its latest round, although the model would go on. */
  isOver(progress: TurnProgress): boolean
  /** Called before each model call: false ends the turn. */
  beforeCall?(round: number): Promise<boolean>
  onReply?(reply: ModelReply, round: number): Promise<void>
  /** What the client keeps beside a reply that is about to be logged: never sent, never shown. */
  dataOf?(reply: ModelReply): object | undefined
  /** The marks by which such a reply is found again, stored in the same step. */
  marksOf?(reply: ModelReply): readonly string[]
  onKept?(reply: ModelReply, round: number): Promise<void>
}

/** Goes on with a turn, also from its middle, until it has ended. `setUp` prepares the model calls, if it needs any. */
export async function answerTurn(
  {
    log,
    signal,
    setUp,
  }: Pick<Asking, 'log' | 'signal'> & { readonly setUp: () => Promise<Asking> },
  client: TurnClient,
): Promise<'completed' | 'open'> {
  let asking: Asking | undefined
  for (;;) {
    signal.throwIfAborted()
    const { rounds, waiting, note } = log.progress
    if (waiting.length > 0) {
      if (!(await client.runCalls?.(waiting))) return 'open'
      continue
    }
    const isOver = rounds > 0 && client.isOver(log.progress)
    if (isOver || (client.beforeCall && !(await client.beforeCall(rounds + 1)))) {
      // Logs an empty reply, because a user message without an answer would break the next call.
      await log.complete(rounds > 0 ? [] : [toSeen(toMessage(emptyReply()))], note)
      return 'completed'
    }
    asking ??= await setUp()
    if (await answerOnce(asking, client)) return 'completed'
  }
}

/** Calls the model once and logs its reply. True when the reply ended the turn; else its tool calls wait for results. */
export async function answerOnce(
  asking: Asking,
  { onReply, dataOf, marksOf, onKept }: Partial<TurnClient> = {},
): Promise<boolean> {
  const { log, tally } = asking
  const { rounds, note: earlier } = log.progress
  const reply = await (asking.passed ? askPassed(asking, asking.passed) : askModel(asking))
  await warnOf(reply, asking)
  await onReply?.(reply, rounds + 1)
  // Calls that write a note are not run. The model is told that it was noted, so the note is logged, asked for or not.
  const noteCalls = reply.calls.filter(call => writesNote(call, asking))
  const answered = noteCalls.map(({ id, name }) => ({
    message: { role: 'tool', tool_call_id: id, name, content: notedResult },
  }))
  const note = noteCalls.map(readNoteCall).findLast(text => text !== undefined) ?? reply.note
  const seen = toSeen(toMessage(reply))
  const data = dataOf?.(reply)
  const entry = { ...seen, data, marks: marksOf?.(reply) }
  // A note beside the answer is no reason to call the model again: it would repeat the answer.
  const isAnswer =
    noteCalls.length === reply.calls.length &&
    (reply.calls.length === 0 || reply.text.trim() !== '')
  const keep = isAnswer
    ? log.complete([entry, ...answered], note ?? earlier)
    : log.append(() => [
        note === undefined ? entry : { ...entry, data: { ...data, note } },
        ...answered,
      ])
  await keep.catch(error => {
    // The model wrote it: the caller is not to blame.
    throw error instanceof TooLargeError ? tooLarge(error.limit, error) : error
  })
  tally.arriving = emptyReply()
  await onKept?.(reply, rounds + 1)
  return isAnswer
}

/** Whether a call is a note of the model to itself, asked for or not: unless the caller offered a tool of that name. */
export const writesNote = ({ name }: ReplyCall, { hasNoteTool, specs }: Asking): boolean =>
  name === noteToolName && (hasNoteTool || !specs.some(spec => spec.name === noteToolName))

async function warnOf({ reason, text, calls }: ModelReply, { emit }: Asking): Promise<void> {
  if (reason === 'length')
    await emit({
      type: 'warning',
      code: 'reply_cut',
      message: 'The reply was cut: it reached its longest.',
    })
  const copied = [text, ...calls.map(call => call.arguments)].map(findStandIn).find(Boolean)
  if (copied !== undefined)
    await emit({
      type: 'warning',
      code: 'stand_in_copied',
      message: `The model wrote ${copied}, which only stood for a text that it was not sent.`,
    })
  const message = 'The model answered nothing that a user may see.'
  if (text.trim() === '' && calls.length === 0)
    await emit({ type: 'warning', code: 'empty_reply', message })
}
