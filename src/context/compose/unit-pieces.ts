import type { MessageLike } from '../../log/message.ts'
import { inlineNote, interruptedResult } from '../../log/texts.ts'
import { toolResultFor, withoutResults, withTail } from '../../log/write-message.ts'
import type { Unit } from '../conversation/unit.ts'
import type { Frame } from '../draft/frame.ts'
import { entryPiece, type Piece, rewritten } from '../draft/piece.ts'

/** The messages of one unit as they are sent: the caller's own objects wherever nothing had to be repaired. */
export function unitPieces<M extends MessageLike>(frame: Frame<M>, unit: Unit): Piece<M>[] {
  if (unit.kind === 'note' || unit.kind === 'stray') return []
  const { entries, firstUser } = frame.transcript
  const pieces: Piece<M>[] = []
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
    pieces.push(rewritten(frame, { part, seqs: [], added }, raw as MessageLike as M))
  }
  return pieces
}

/** Sends notes with the reply that they belong to, as the model wrote them; joined here, so that it is counted once. */
function withNotes<M extends MessageLike>(
  frame: Frame<M>,
  reply: Piece<M>,
  notes: readonly number[],
): Piece<M> {
  const altered = { rule: 'notes', why: 'its note to self is sent with it' }
  const seqs = [...reply.seqs, ...notes.map(at => frame.system.length + at)]
  const texts = notes.map(at => inlineNote(frame.transcript.entries[at]!.message.text, frame.nonce))
  return rewritten(frame, { ...reply, seqs, altered }, withTail(reply.raw, texts.join('\n\n')))
}
