import { isUnchanged } from '../../log/looks.ts'
import type { MessageLike } from '../../log/message.ts'
import { movedNotes } from '../draft/cost.ts'
import type { Finished } from './finish.ts'

/**
 * Whether every message used in the context (sent, joined, digested, recalled, gathered) is unchanged since it was read.
 * Left-out messages are checked when they are used again: the price of a turn must not grow with the conversation.
 */
export function isAsRead<M extends MessageLike>({ draft, pieces }: Finished<M>): boolean {
  const { frame, spans, units } = draft
  const { entries } = frame.transcript
  const lead = frame.system.length
  const isFreshAt = (at: number) => {
    const entry = at < 0 ? frame.system[at + lead]! : entries[at]!
    // An entry that is not in memory cannot have been changed by a caller.
    return !Object.hasOwn(entry, 'stamp') || isUnchanged(entry.stamp.looks, entry.source)
  }
  let at = 0
  return (
    // Protected messages may stand between left-out ones.
    pieces.every(({ seqs }) => seqs.every(seq => isFreshAt(seq - lead))) &&
    movedNotes(frame, spans).every(isFreshAt) &&
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
