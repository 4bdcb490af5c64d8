import type { MessageLike } from '../../log/message.ts'
import { isFresh } from '../conversation/stamp.ts'
import type { Entry } from '../conversation/unit.ts'
import { gatherNotes } from '../draft/cost.ts'
import type { Finished } from './finish.ts'

/**
 * Whether every message that has a part in the context is as it was when it was read: sent, joined, digested, recalled,
 * gathered. What is left out is looked at when it comes back: the price of a turn must not grow with the conversation.
 */
export function isAsRead<M extends MessageLike>({ draft, pieces }: Finished<M>): boolean {
  const { frame, spans, units } = draft
  const { system, transcript, headNotes } = frame
  const isChanged = (entry: Entry<M>) =>
    // An entry of a stored thread that is not in memory is in nobody's hands.
    Object.hasOwn(entry, 'stamp') && !isFresh(entry.stamp, entry.source)
  const entryAt = (seq: number) =>
    seq < system.length ? system[seq]! : transcript.entries[seq - system.length]!

  // What is protected may stand between messages that were left out.
  for (const { seqs } of pieces) if (seqs.some(seq => isChanged(entryAt(seq)))) return false
  const notes = gatherNotes(frame, spans) ?? headNotes
  if (notes?.moved.some(at => isChanged(transcript.entries[at]!))) return false
  let at = 0
  const elided = spans.filter(({ fate }) => fate === 'elided')
  for (const { from, to } of [...elided, { from: units.length, to: units.length }]) {
    const end = units[from]?.from ?? transcript.entries.length
    for (; at < end; at++) if (isChanged(transcript.entries[at]!)) return false
    at = units[to]?.from ?? end
  }
  return true
}
