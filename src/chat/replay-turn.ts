import type { Begun } from '../history/thread.ts'
import { ThroughlineError } from '../log/error.ts'
import { errorsIn } from '../log/errors-in.ts'
import type { MessageLike } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'
import { type NoteOptions, toDisplay } from '../notes/index.ts'
import type { TurnPart } from '../turn/index.ts'
import type { ReplyWork } from './reply.ts'

/** Repeats the answer that the same idempotency key got before, without asking the model. */
export async function replayTurn(
  { turn: { turn, status, error: code }, messages }: Extract<Begun, { kind: 'replayed' }>,
  /** The branch of the turn, and how many messages began it. */
  { branch, asked }: { readonly branch: string; readonly asked: number },
  { emit, settle, added }: ReplyWork,
  notes: NoteOptions | undefined,
): Promise<void> {
  const ended = status === 'open' ? ('interrupted' as const) : status
  const end = { status: ended, turn, branch, rounds: 0, usage: {} }
  const answered = messages.slice(asked)
  for (const message of answered) added.push(message)
  const hasEnded = status === 'completed' || status === 'cancelled'
  const parts = hasEnded ? [...partsOf(toDisplay(answered, notes))] : []
  const error = hasEnded ? undefined : notAnswered(status, code)
  const text = parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : [])).join('\n\n')
  settle({ ...end, text, messages: answered, ...(error && { error }) })
  for (const part of parts) await emit(part)
  if (error) await emit({ type: 'error', error })
  await emit({ type: 'end', ...end })
}

function* partsOf(messages: readonly MessageLike[]): Generator<TurnPart> {
  for (const [seq, message] of messages.entries()) {
    const { role, text, calls, results } = readMessage(message, seq)
    if (role === 'assistant' && text !== '') yield { type: 'text-delta', text }
    for (const { id = '', name, arguments: json } of calls)
      yield { type: 'tool-call', id, name, arguments: json }
    const isError = errorsIn(message)
    for (const [index, { callId: id = '', name = '', text: result }] of results.entries())
      yield { type: 'tool-result', id, name, text: result, isError: isError(result, index) }
  }
}

function notAnswered(status: string, code: string | undefined): ThroughlineError {
  if (status === 'open')
    return new ThroughlineError('turn_open', 'The turn of this key is still being answered: ask again later.')
  return new ThroughlineError(
    code ?? `turn_${status}`,
    `The turn of this key ended as ${status}: send it with a new key to try again.`,
  )
}
