import type { Transcript } from '../conversation/transcript.ts'

/** The cost of the units from one up to another; the first user message is charged elsewhere. */
export function spanCost(transcript: Transcript, from: number, to: number, inlineNotes: boolean): number {
  if (from >= to) return 0
  const { costBefore, noteCostBefore, systems, units } = transcript
  let cost = costBefore[to]! - costBefore[from]!
  if (inlineNotes) cost += noteCostBefore[to]! - noteCostBefore[from]!
  for (let index = systems.length - 1; index >= 0 && systems[index]! >= from; index--) {
    if (systems[index]! < to) cost += units[systems[index]!]!.tokens
  }
  return cost
}
