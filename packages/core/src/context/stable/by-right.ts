import { placeOf } from '../conversation/first-place.ts'
import { costBetween, exchangeStart } from '../conversation/transcript.ts'
import { lastRoundBefore } from '../draft/cut-journal.ts'
import type { Costs } from './ledger.ts'

/** Where what stays by right is looked for: before a user message, from the cut on. */
interface RightPlace {
  readonly cut: number
  /** The tokens of old system messages that are not sent any more. */
  readonly aged: number
  readonly user: number
  readonly turn: number
}

/**
 * The first unit of what stays by right before a user message: the last exchanges, and a text that a user pasted for some
 * exchanges more, while all since then fits. Of exchanges with rounds only the last counts: long turns have rules of their own.
 */
export function rightStart(
  costs: Costs,
  { cut, aged, user, turn }: RightPlace,
  charge: number,
): number {
  const { room, transcript, systemCostBefore } = costs
  const { turns } = transcript
  const lastExchange = exchangeStart(transcript, turn)
  const lastRound = lastRoundBefore(transcript, user)
  const free = room.byRight - charge - (systemCostBefore[user]! - aged)
  let right = lastExchange
  let start = lastExchange
  for (let back = 2; back <= pastedStays && lastRound < start; back++) {
    if (start <= cut || start === turns[0]) break
    const end = start
    start = exchangeStart(transcript, placeOf(turns, start))
    if (lastRound >= start || costBetween(costs, start, user, room.inlineNotes) > free) break
    if (back <= room.exchanges || hasPaste(costs, start, end)) right = start
  }
  return right
}

/** How many exchanges a pasted text stays: its own, and the five after it. */
const pastedStays = 6

/** Whether a user's message in an exchange is as long as a text that is pasted to be talked about. */
function hasPaste({ transcript, room }: Costs, from: number, to: number): boolean {
  const { turns } = transcript
  for (let turn = placeOf(turns, from); turn < turns.length && turns[turn]! < to; turn++)
    if (costBetween(transcript, turns[turn]!, turns[turn]! + 1) >= room.pasted) return true
  return false
}
