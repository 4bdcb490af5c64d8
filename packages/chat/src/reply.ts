import { ThroughlineError } from '@throughline/core/errors'
import { errorsIn, type MessageLike, readMessage } from '@throughline/core/messages'
import { toDisplay } from '@throughline/core/notes'
import type { Begun } from '@throughline/history/threads'
import { toError } from './turn/end-failed.ts'
import { createOngoing, type Ongoing } from './turn/ongoing.ts'
import type { TurnPart, TurnResult } from './turn/reply.ts'
import { type TurnToRun, tellEnd } from './turn/run-turn.ts'
import { linkSignals } from './turn/wait/link-signals.ts'

/** A turn as it runs. Its result rejects when the turn failed; a cancelled turn is a result. */
export interface Reply extends Ongoing<TurnPart, TurnResult> {
  /** The messages that the turn has added to the conversation so far, without the user's. Also if it failed. */
  readonly messages: readonly MessageLike[]
}

/** What the function that answers a turn gets. It pushes the messages that it adds to the conversation to `added`. */
export type ReplyWork = Pick<TurnToRun, 'emit' | 'settle' | 'signal'> & {
  readonly added: MessageLike[]
}

/** Makes a reply. A reader who stops cancels the turn, which is then closed. */
export function createReply(
  signal: AbortSignal | undefined,
  work: (replyWork: ReplyWork) => Promise<void>,
) {
  const added: MessageLike[] = []
  const ongoing = createOngoing<TurnPart, TurnResult>({
    async run({ emit, settle: resolve, reject, left }) {
      const settle = (result: TurnResult) => (result.error ? reject(result.error) : resolve(result))
      const cancel = linkSignals(signal, left)
      try {
        if (!cancel.signal.aborted)
          return await work({ emit, settle, signal: cancel.signal, added })
        await tellEnd({ emit, settle }, { status: 'cancelled', ...nothing })
      } catch (thrown) {
        // The turn could not begin: another turn is open, say, or the store does not answer.
        await tellEnd({ emit, settle }, { status: 'failed', ...nothing, error: toError(thrown) })
      } finally {
        cancel.unlink()
      }
    },
    leave: ({ settle }) => settle({ status: 'cancelled', ...nothing }),
    unread:
      'A reply of a chat was neither awaited nor read, so nothing was asked: use "await chat.send(…)" or "for await (const part of chat.send(…))".',
  })
  return { ...ongoing, messages: added }
}

const nothing = { rounds: 0, usage: {}, text: '', messages: [] }

/** Repeats the answer that the same idempotency key got before, without asking the model. */
export async function replayTurn(
  { turn: { turn, status, error: code }, messages }: Extract<Begun, { kind: 'replayed' }>,
  branch: string,
  /** How many messages began the turn. */
  inputCount: number,
  { emit, settle, added }: ReplyWork,
): Promise<void> {
  const answered = messages.slice(inputCount)
  for (const message of answered) added.push(message)
  const hasEnded = status === 'completed' || status === 'cancelled'
  const parts = hasEnded ? [...partsOf(toDisplay(answered))] : []
  const result: TurnResult = {
    status: status === 'open' ? 'interrupted' : status,
    turn,
    branch,
    rounds: 0,
    usage: {},
    text: parts.flatMap(part => (part.type === 'text-delta' ? [part.text] : [])).join('\n\n'),
    messages: answered,
    error: hasEnded ? undefined : notAnswered(status, code),
  }
  await tellEnd({ emit, settle }, result, parts)
}

/** What a reader of a reply gets, made of what is stored. */
export function* partsOf(messages: readonly MessageLike[]): Generator<TurnPart> {
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
    return new ThroughlineError(
      'turn_open',
      'The turn of this key is still being answered: ask again later.',
    )
  const problem = `The turn of this key ended as ${status}: send it with a new key to try again.`
  return new ThroughlineError(code ?? `turn_${status}`, problem)
}
