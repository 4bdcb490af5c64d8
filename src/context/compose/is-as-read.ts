import type { MessageLike } from '../../log/message.ts'
import { isFresh } from '../conversation/stamp.ts'
import { gatherNotes } from '../draft/cost.ts'
import type { Finished } from './finish.ts'

/**
 * Whether every message that has a part in the context is as it was when it was read: sent, joined, digested, recalled,
 * gathered. What is left out is looked at when it comes back: the price of a turn must not grow with the conversation.
 */
export function isAsRead<M extends MessageLike>({ draft, pieces }: Finished<M>): boolean {
  const { frame, spans, units } = draft
  const { entries } = frame.transcript
  const lead = frame.system.length
  const isFreshAt = (at: number) => {
    const entry = at < 0 ? frame.system[at + lead]! : entries[at]!
    // An entry of a stored thread that is not in memory is in nobody's hands.
    return !Object.hasOwn(entry, 'stamp') || isFresh(entry.stamp, entry.source)
  }
  const notes = gatherNotes(frame, spans) ?? frame.headNotes
  let at = 0
  return (
    // What is protected may stand between messages that were left out.
    pieces.every(({ seqs }) => seqs.every(seq => isFreshAt(seq - lead))) &&
    (notes?.moved ?? []).every(isFreshAt) &&
    [...spans, { fate: 'elided', from: units.length, to: units.length }].every(({ fate, from, to }) => {
      if (fate !== 'elided') return true
      const end = units[from]?.from ?? entries.length
      while (at < end && isFreshAt(at)) at += 1
      const isFreshSpan = at >= end
      at = units[to]?.from ?? end
      return isFreshSpan
    })
  )
}
