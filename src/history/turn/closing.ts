import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { openRound } from '../../log/round.ts'
import { toolResultFor } from '../../log/write-message.ts'
import type { TurnStatus } from '../../stores/store.ts'

/** What the model reads at the end of a turn that did not end by itself. */
const texts = {
  cancelled: () => '[Cancelled by the user — disregard this turn.]',
  failed: (code: string) => `[This turn failed: ${code}.]`,
  interrupted: () => '[Interrupted.]',
} as const

/** What stands where the model answered nothing that a user may see. */
export const noReply: MessageLike = { role: 'assistant', content: '[No visible reply.]' }

/** The messages that close a turn, so that what is sent stays a valid sequence. */
export function closingMessages(
  turn: readonly MessageLike[],
  status: Exclude<TurnStatus, 'open' | 'completed'>,
  code = 'unknown',
): readonly MessageLike[] {
  return [...missingResults(turn), { role: 'assistant', content: texts[status](code) } as MessageLike]
}

/** A call without a result gets one that says so. */
export function missingResults(turn: readonly MessageLike[]): readonly MessageLike[] {
  let round = openRound([])
  let dialect = parseMessage({ role: 'user', content: '' }, 0).dialect
  for (const [seq, source] of turn.entries()) {
    const message = parseMessage(source, seq)
    if (message.calls.length > 0) {
      round = openRound(message.calls)
      dialect = message.dialect
    }
    for (const result of message.results) round.take(result)
  }
  return round.unanswered().map(call => toolResultFor(dialect, call, 'Error: interrupted'))
}
