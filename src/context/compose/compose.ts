import type { MessageLike } from '../../log/message.ts'
import { markerText } from '../../log/texts.ts'
import { gatherNotes, needsMarker } from '../draft/cost.ts'
import type { FullDraft } from '../draft/draft.ts'
import type { Piece } from '../draft/piece.ts'
import { type Added, addedPiece } from './make-piece.ts'
import { unitPieces } from './unit-pieces.ts'

/** The pieces of a draft in the order in which they are sent, before any shape is applied. */
export function compose<M extends MessageLike>(draft: FullDraft<M>): readonly Piece<M>[] {
  const { frame, insertions, units } = draft
  const { transcript } = frame
  const pieces: Piece<M>[] = [...frame.head]
  const add = (added: Added) => pieces.push(addedPiece(frame, added))

  const afterFirst = () => {
    if (needsMarker(frame, draft.spans) && frame.marker < 0) {
      add({ part: 'marker', role: 'system', text: markerText, why: 'messages were left out' })
    }
    const notes = gatherNotes(frame, draft.spans)
    if (notes?.text) {
      add({ part: 'notes', role: 'system', text: notes.text, why: 'notes of replies that were left out' })
    }
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
      add(insertions[next]!)
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
  const fixed = [...frame.fixed]
  let at = 0
  let next = 0
  for (const { from, to } of [...spans, { from: units.length, to: units.length }]) {
    for (; at < from; at++) yield at
    while (next < fixed.length && fixed[next]! < from) next += 1
    for (; next < fixed.length && fixed[next]! < to; next++) yield fixed[next]!
    at = Math.max(at, to)
  }
}
