import type { Exchange } from '../digests/index.ts'
import type { FullDraft } from './draft.ts'

export interface PlacedExchange extends Exchange {
  /** The units of the turn: `from` is its user message, `to` is the unit after its last. */
  readonly from: number
  readonly to: number
}

/** The number of completed turns: all but a last one that still waits for the assistant's final message. */
export function countExchanges({ units, turns }: FullDraft): number {
  const last = units.findLast(unit => unit.kind !== 'system' && unit.kind !== 'note' && unit.kind !== 'stray')
  return last?.kind === 'assistant' ? turns.length : Math.max(0, turns.length - 1)
}

export function exchangeAt({ frame, units, turns }: FullDraft, turn: number): PlacedExchange {
  const from = turns[turn]!
  const to = turns[turn + 1] ?? units.length
  const { entries } = frame.transcript
  const end = units[to]?.from ?? entries.length
  const [request, ...messages] = entries.slice(units[from]!.from, end).map(entry => entry.message)
  return { from, to, request: request!.text, messages }
}
