import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { openRound } from '../../log/round.ts'
import { endingTexts, interruptedResult, noReplyText } from '../../log/texts.ts'
import { toolResultFor } from '../../log/write-message.ts'
import type { Head, TurnStatus } from '../../stores/store.ts'
import { type LogSource, listLog } from './read-log.ts'

/**
 * What the model reads of a turn that the user cancelled. `keep`: the answer was cancelled, and the user's message still
 * counts. `disregard`: the model should disregard the whole turn.
 */
export type CancelledTurn = 'keep' | 'disregard'

/** How a turn ended that was not completed. */
export interface Ending {
  readonly status: Exclude<TurnStatus, 'open' | 'completed'>
  /** Why it failed. */
  readonly code?: string | undefined
  readonly cancelledTurn?: CancelledTurn | undefined
}

function endingText({ status, code = 'unknown', cancelledTurn = 'keep' }: Ending): string {
  switch (status) {
    case 'cancelled':
      return cancelledTurn === 'keep' ? endingTexts.cancelled : endingTexts.disregarded
    case 'failed':
      return endingTexts.failed(code)
    case 'interrupted':
      return endingTexts.interrupted
  }
}

/** Stands in the log for a reply without anything that a user may see. */
export const noReply: MessageLike = { role: 'assistant', content: noReplyText }

/** The messages that close a turn. */
export interface Closing<M> {
  /** Results for the calls that were logged and never answered: they come before `arrived`. */
  readonly results: readonly MessageLike[]
  readonly arrived: readonly M[]
  readonly last: readonly MessageLike[]
}

/**
 * Closes a turn so that the messages stay a valid sequence: no call without a result, no two answers in a row. `join`
 * puts the text that says how the turn ended behind an answer that arrived in part. A whole answer is left as it is.
 */
export function closingFor<M>(
  turn: {
    readonly said: readonly MessageLike[]
    readonly arrived: readonly M[]
    readonly toMessage: (arrived: M) => MessageLike
    readonly join: (arrived: M, text: string) => M
  },
  ending: Ending,
): Closing<M> {
  const { said, arrived, toMessage, join } = turn
  const results = missingResults(said)
  const messages = arrived.map(toMessage)
  const text = endingText(ending)
  const at = messages.findLastIndex(isSpoken)
  if (at >= 0 && isAnswer(messages[at]!))
    return { results, arrived: arrived.map((one, index) => (index === at ? join(one, text) : one)), last: [] }
  const isAnswered = at < 0 && results.length === 0 && isAnswer(said.findLast(isSpoken))
  const last = isAnswered ? [] : [...missingResults(messages), { role: 'assistant', content: text }]
  return { results, arrived, last: last as readonly MessageLike[] }
}

/** The messages that close a turn of which all is logged. */
export function closingMessages(said: readonly MessageLike[], ending: Ending): readonly MessageLike[] {
  const { results, last } = closingFor({ said, arrived: [], toMessage: one => one, join: one => one }, ending)
  return [...results, ...last]
}

const isSpoken = ({ role }: MessageLike) => role !== 'assistant_note'

function isAnswer(message: MessageLike | undefined): boolean {
  return message?.role === 'assistant' && readMessage(message, 0).calls.length === 0
}

/** Makes a result for each call without one; it says that the call was interrupted. */
function missingResults(turn: readonly MessageLike[]): readonly MessageLike[] {
  let round = openRound([])
  let dialect = readMessage({ role: 'user', content: '' }, 0).dialect
  for (const [seq, source] of turn.entries()) {
    const message = readMessage(source, seq)
    if (message.calls.length > 0) {
      round = openRound(message.calls)
      dialect = message.dialect
    }
    for (const result of message.results) round.take(result)
  }
  return round.unanswered().map(call => toolResultFor(dialect, call, interruptedResult))
}

/** The messages that would close the open turn of a head as interrupted. */
export async function closingOf(source: LogSource, { head, open }: Head): Promise<readonly MessageLike[]> {
  if (!open) return []
  const logged = await listLog(source, { from: open.first, to: head })
  return closingMessages(
    logged.map(({ message }) => message),
    { status: 'interrupted' },
  )
}
