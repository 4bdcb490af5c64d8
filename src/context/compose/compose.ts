import type { MessageLike } from '../../log/message.ts'
import { markerText } from '../../log/texts.ts'
import { gatherNotes, needsMarker } from '../draft/cost.ts'
import type { FullDraft } from '../draft/draft.ts'
import type { Piece } from '../draft/piece.ts'
import type { Part } from '../receipt.ts'
import { addedPiece } from './make-piece.ts'
import { unitPieces } from './unit-pieces.ts'

/** The pieces of a draft in the order in which they are sent, before any shape is applied. */
export function compose<M extends MessageLike>(draft: FullDraft<M>): readonly Piece<M>[] {
  const { frame, insertions, units } = draft
  const { transcript } = frame
  const pieces: Piece<M>[] = [...frame.head]
  const add = (part: Part, role: 'system' | 'user', text: string, why: string, answered = false) =>
    pieces.push(addedPiece(frame, part, role, text, why, answered))

  const afterFirst = () => {
    if (needsMarker(frame, draft.spans) && frame.marker < 0) {
      add('marker', 'system', markerText, 'messages were left out')
    }
    const notes = gatherNotes(frame, draft.spans)
    if (notes?.text) add('notes', 'system', notes.text, 'notes of replies that were left out')
  }

  if (draft.systemsFirst) {
    for (const index of transcript.systems) {
      if (index !== frame.marker) {
        for (const piece of unitPieces(frame, units[index]!)) pieces.push({ ...piece, part: 'system' })
      }
    }
  }
  if (transcript.firstUser < 0) afterFirst()
  let next = 0
  const insertUpTo = (index: number) => {
    for (; next < insertions.length && insertions[next]!.before <= index; next++) {
      const { part, role, text, why, answered } = insertions[next]!
      add(part, role, text, why, answered)
    }
  }
  for (const index of sentUnits(draft)) {
    const unit = units[index]!
    // Digests of units before the first user message cannot stand behind it.
    if (index > transcript.firstUser) insertUpTo(index)
    if (unit.kind === 'system' && draft.systemsFirst && index !== frame.marker) continue
    for (const piece of unitPieces(frame, unit)) pieces.push(piece)
    if (index === transcript.firstUser) afterFirst()
  }
  insertUpTo(units.length)
  return pieces
}

/** Indexes of the units that are sent, oldest first: those that were kept, and the protected ones. */
function* sentUnits({ frame, spans, units }: FullDraft): Generator<number> {
  const { systems, firstUser } = frame.transcript
  const fixed = [...new Set([...systems, ...frame.ends, ...(firstUser >= 0 ? [firstUser] : [])])].sort(
    (a, b) => a - b,
  )
  let at = 0
  let next = 0
  for (const { from, to } of [...spans, { from: units.length, to: units.length }]) {
    for (; at < from; at++) yield at
    while (next < fixed.length && fixed[next]! < from) next += 1
    for (; next < fixed.length && fixed[next]! < to; next++) yield fixed[next]!
    at = Math.max(at, to)
  }
}
