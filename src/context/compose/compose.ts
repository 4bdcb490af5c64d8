import { parseMessage } from '../../log/parse-message.ts'
import { inlineNote, interruptedResult, markerText } from '../../log/texts.ts'
import { toolResultFor, withoutResults, withTail } from '../../log/write-message.ts'
import type { Unit } from '../conversation/transcript.ts'
import { gatherNotes, needsMarker, textCost } from '../draft/cost.ts'
import type { FullDraft } from '../draft/draft.ts'
import { entryPiece, type Frame, type Piece, rewritten } from '../draft/frame.ts'
import type { LeaveOut } from '../draft/frame-options.ts'
import { findSpan, type Insertion } from '../draft/span.ts'

/** The pieces of a draft in the order in which they are sent, before any shape is applied. */
export function compose(draft: FullDraft): readonly Piece[] {
  const { frame, insertions, units } = draft
  const { transcript } = frame
  const pieces: Piece[] = [...frame.head]
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

  const moved = new Set(draft.systemsFirst ? transcript.systems : [])
  moved.delete(frame.marker)
  for (const index of moved)
    for (const piece of unitPieces(frame, units[index]!)) pieces.push({ ...piece, part: 'system' })
  if (transcript.firstUser < 0) afterFirst()
  let next = 0
  const insertUpTo = (index: number) => {
    for (; next < insertions.length && insertions[next]!.before <= index; next++) {
      if (insertions[next]!.quotes === undefined) add(insertions[next]!)
    }
  }
  const quoting = insertions.find(({ quotes }) => quotes !== undefined)
  for (const index of sentUnits(draft)) {
    // Digests of units before the first user message cannot stand behind it.
    if (index > transcript.firstUser) insertUpTo(index)
    if (moved.has(index)) continue
    for (const piece of unitPieces(frame, units[index]!))
      pieces.push(quoting?.quotes === index ? quotedPiece(draft, piece, quoting) : piece)
    if (index === transcript.firstUser) afterFirst()
  }
  insertUpTo(units.length)
  const { leaveOut } = frame
  return leaveOut ? pieces.map(piece => withoutFiles(frame, piece, leaveOut)) : pieces
}

/** A piece with words in place of the files that the model does not take. */
function withoutFiles(frame: Frame, piece: Piece, leaveOut: LeaveOut): Piece {
  if (piece.message.media === 0 && piece.message.unknown === '') return piece
  const left = leaveOut(piece.raw)
  return left
    ? rewritten(frame, { ...piece, altered: { rule: 'files', why: left.why } }, left.message)
    : piece
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

/** The messages of one unit as they are sent: the caller's own objects wherever nothing had to be repaired. */
function unitPieces(frame: Frame, unit: Unit): Piece[] {
  if (unit.kind === 'note' || unit.kind === 'stray') return []
  const { entries, firstUser } = frame.transcript
  const pieces: Piece[] = []
  const notes: number[] = []
  const part = unit.index === firstUser ? 'first' : frame.ends.includes(unit.index) ? 'latest' : 'history'
  for (let at = unit.from; at < unit.to; at++) {
    const piece = entryPiece(entries[at]!, part, frame.system.length + at)
    const stray = unit.strays.get(at)
    if (piece.message.role === 'assistant_note') notes.push(at)
    else if (!stray) pieces.push(piece)
    else if (stray.results) {
      const altered = { rule: 'valid sequence', why: `one of its results ${stray.why}` }
      pieces.push(rewritten(frame, { ...piece, altered }, withoutResults(piece.raw, stray.results)))
    }
  }
  if (notes.length > 0 && frame.notes === 'inline') pieces[0] = withNotes(frame, pieces[0]!, notes)
  // Providers refuse a call without a result: one is added that says so, right after the results that came.
  for (const call of unit.missing) {
    const raw = toolResultFor(entries[unit.from]!.message.dialect, call, interruptedResult)
    const added = `the call of "${call.name}" never got a result`
    pieces.push(rewritten(frame, { part, seqs: [], added }, raw))
  }
  return pieces
}

/** Sends notes with the reply that they belong to, as the model wrote them; joined here, so that it is counted once. */
function withNotes(frame: Frame, reply: Piece, notes: readonly number[]): Piece {
  const altered = { rule: 'notes', why: 'its note to self is sent with it' }
  const seqs = [...reply.seqs, ...notes.map(at => frame.system.length + at)]
  const texts = notes.map(at => inlineNote(frame.transcript.entries[at]!.message.text, frame.nonce))
  return rewritten(frame, { ...reply, seqs, altered }, withTail(reply.raw, texts.join('\n\n')))
}

/** A message as it stands in a line that quotes it whole. */
function quotedPiece({ frame, spans }: FullDraft, piece: Piece, { text, quotes }: Insertion): Piece {
  const { rule } = findSpan(spans, quotes!)!
  const altered = { rule, why: 'the line of its exchange quotes it whole' }
  return rewritten(frame, { ...piece, altered, answered: true }, { role: 'user', content: text })
}

/** A text that is added, and why. */
interface Added extends Pick<Insertion, 'part' | 'text' | 'why' | 'answered'> {
  readonly role: 'system' | 'user' | 'assistant'
}

export function addedPiece(frame: Frame, { part, role, text, why, answered = false }: Added): Piece {
  const raw = { role, content: text }
  const tokens = textCost(frame, role, text)
  return { raw, message: parseMessage(raw, 0), tokens, part, seqs: [], added: why, answered }
}
