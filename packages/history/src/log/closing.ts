import {
  endingTexts,
  interruptedResult,
  type Message,
  type MessageDialect,
  type MessageLike,
  noReplyText,
  openRound,
  readMessage,
  toolResultFor,
} from '@throughline/core/messages'
import type { Head, TurnStatus } from '@throughline/stores/store'
import { isHandEntry } from './hand-entry.ts'
import {
  type SeenMessage,
  type TurnMessage,
  viewOf,
  wholeOf,
  withEnding,
} from './logged-message.ts'
import { type LogSource, listLog } from './read-log.ts'

/** What the model reads of a cancelled turn: that its answer was cancelled (`keep`), or to disregard it. */
export type CancelledTurn = 'keep' | 'disregard'

/** How a turn ended that was not completed. */
export interface Ending {
  readonly status: Exclude<TurnStatus, 'open' | 'completed'>
  /** Why it failed. */
  readonly code?: string | undefined
  readonly cancelledTurn?: CancelledTurn | undefined
}

function endingText({ status, code = 'unknown', cancelledTurn = 'keep' }: Ending): string {
  if (status === 'failed') return endingTexts.failed(code)
  if (status === 'interrupted') return endingTexts.interrupted
  return cancelledTurn === 'keep' ? endingTexts.cancelled : endingTexts.disregarded
}

/** Stands in the log for a reply without anything that a user may see. */
export const noReply: MessageLike = { role: 'assistant', content: noReplyText }

/**
 * Closes a turn so that the messages stay a valid sequence: no call without a result, no two answers in a row. An answer
 * that arrived in part gets the text that says how the turn ended. A whole answer is left as it is. The results are for calls
 * that were logged and never answered: they come before what arrived.
 */
export function closingFor(
  earlier: readonly Message[],
  arrived: readonly TurnMessage[],
  ending: Ending,
) {
  const results = missingResults(earlier)
  const messages = arrived.map((one, at) => readMessage(wholeOf(one), at))
  const text = endingText(ending)
  const at = messages.findLastIndex(isSpoken)
  if (at >= 0 && isAnswer(messages[at])) {
    const ended = arrived.map((one, index) => (index === at ? withEnding(one, text) : one))
    return { results, arrived: ended, last: [] as readonly MessageLike[] }
  }
  const isAnswered = at < 0 && results.length === 0 && isAnswer(earlier.findLast(isSpoken))
  const last = isAnswered ? [] : [...missingResults(messages), { role: 'assistant', content: text }]
  return { results, arrived, last: last as readonly MessageLike[] }
}

const isSpoken = ({ role }: Message) => role !== 'assistant_note'

const isAnswer = (message: Message | undefined): boolean =>
  message?.role === 'assistant' && message.calls.length === 0

/** Makes a result for each call without one; it says that the call was interrupted. */
function missingResults(turn: readonly Message[]): readonly MessageLike[] {
  let round = openRound([])
  let dialect: MessageDialect = 'ollama'
  for (const message of turn) {
    if (message.calls.length > 0) {
      round = openRound(message.calls)
      dialect = message.dialect
    }
    for (const result of message.results) round.take(result)
  }
  return round.unanswered().map(call => toolResultFor(dialect, call, interruptedResult))
}

/** How the open turn of a head would be closed, and the messages that would close it. Undefined where none is open. */
export async function closingOf(source: LogSource, { head, open }: Head) {
  if (!open) return undefined
  const all = await listLog(source, { from: open.first, to: head })
  const logged = all.filter(entry => !isHandEntry(entry))
  const part = logged.at(-1)?.isBroken ? logged.at(-1) : undefined
  const hasPart = part !== undefined && part.reading.text !== ''
  const ending = await endingOf(source, open.turn, hasPart)
  const whole = logged.filter(({ isBroken }) => !isBroken).map(({ reading }) => reading)
  const { results, last } = closingFor(whole, [], ending)
  const closing = [...results, ...last].map((message): SeenMessage => ({ message }))
  // The note of any round, as it would have been written had the turn been closed at once.
  const note = logged
    .map(({ data }) => (data as { readonly note?: string } | undefined)?.note)
    .findLast(Boolean)
  const noted = note === undefined ? [] : [{ message: { role: 'assistant_note', content: note } }]
  if (!part || !hasPart) return { ending, closing: [...closing, ...noted] }
  // The part is in the log, but was not sent: the model reads it in the message that says how the turn ended.
  const view = viewOf(withEnding(part.message, endingText(ending)))
  const ended = closing.at(-1) ?? { message: { role: 'assistant', content: endingText(ending) } }
  return { ending, closing: [...closing.slice(0, -1), { ...ended, view }, ...noted] }
}

/** How a turn ended that its writer left open: what became of its last call says it, unless the process died. */
async function endingOf(
  { store, key }: LogSource,
  turn: number,
  hasPart: boolean,
): Promise<Ending> {
  const [call] = await store.calls(key, { limit: 1 })
  if (call?.turn !== turn) return { status: 'interrupted' }
  if (call.status === 'cancelled') return { status: 'cancelled' }
  // As in a turn that is closed at once: a user who has seen a part of the answer saw it break off.
  return call.status === 'failed' && !hasPart
    ? { status: 'failed', code: call.error }
    : { status: 'interrupted' }
}

/** How a turn would be closed whose writer is gone: views show it before the next turn writes it. */
export async function unloggedEnd(source: LogSource, head: Head | undefined) {
  return head?.open?.expiresInMs === 0 ? closingOf(source, head) : undefined
}
