import { costBetween } from '../conversation/sums.ts'
import type { Transcript } from '../conversation/transcript.ts'

/** The cost of the units from one up to another; the first user message is charged elsewhere. */
export function spanCost(transcript: Transcript, from: number, to: number, inlineNotes: boolean): number {
  if (from >= to) return 0
  const { systems, units } = transcript
  let cost = costBetween(transcript, from, to, inlineNotes)
  for (let index = systems.length - 1; index >= 0 && systems[index]! >= from; index--) {
    if (systems[index]! < to) cost += units[systems[index]!]!.tokens
  }
  return cost
}
