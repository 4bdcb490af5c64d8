import type { Message } from '../../log/message.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { isOrdinary } from '../conversation/unit.ts'
import type { Draft } from '../draft/draft.ts'

/** A completed turn as a reader sees it. */
export interface Exchange {
  /** The text of the user's message. */
  readonly request: string
  /** Everything that answered it, in order. */
  readonly messages: readonly Message[]
}

/**
 * Sums up an exchange, without brackets and without its request; returns `undefined` to leave it to the next digester. What
 * is longer than `max` characters is cut at its end.
 *
 * @example
 * const digestPoll: Digester = ({ messages }) =>
 *   messages.some(message => message.text.startsWith('POLL')) ? 'a poll' : undefined
 */
export type Digester = (exchange: Exchange, max?: number) => string | undefined

/** The assistant's answer: its last text. Notes and thinking do not count. */
export function answerOf(messages: readonly Message[]): string {
  return (
    messages.findLast(message => message.role === 'assistant' && /\S/.test(message.text))?.text ??
    ''
  )
}

export interface PlacedExchange extends Exchange {
  /** The units of the turn: `from` is its user message, `to` is the unit after its last. */
  readonly from: number
  readonly to: number
}

/** The number of completed turns: all but a last one that still waits for the assistant's final message. */
export function countExchanges({ units, turns }: Transcript): number {
  const last = units.findLast(isOrdinary)
  return last?.kind === 'assistant' ? turns.length : Math.max(0, turns.length - 1)
}

export function exchangeAt({ entries, units, turns }: Transcript, turn: number): PlacedExchange {
  const from = turns[turn]!
  const to = turns[turn + 1] ?? units.length
  const end = units[to]?.from ?? entries.length
  const [request, ...messages] = entries.slice(units[from]!.from, end).map(entry => entry.message)
  return { from, to, request: request!.text, messages }
}

/** Whether no earlier policy has left out a part of an exchange. */
export function isWhole(draft: Draft, { from, to }: PlacedExchange): boolean {
  return draft.units.slice(from, to).every(draft.isKept)
}
