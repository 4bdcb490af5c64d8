import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { textCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { Piece, Sent } from '../draft/piece.ts'
import type { Part } from '../receipt.ts'

/** A copy of a piece with another message, read and counted anew. */
export function rewritten<M extends MessageLike>(frame: Frame<M>, piece: Piece<M>, raw: Sent<M>): Piece<M> {
  const message = parseMessage(raw, piece.seqs[0] ?? 0)
  return { ...piece, raw, message, tokens: frame.count.message(message) }
}

export function addedPiece<M extends MessageLike>(
  frame: Frame<M>,
  part: Part,
  role: 'system' | 'user' | 'assistant',
  text: string,
  why: string,
  answered = false,
): Piece<M> {
  const raw = { role, content: text }
  return {
    raw,
    message: parseMessage(raw, 0),
    tokens: textCost(frame, role, text),
    part,
    seqs: [],
    added: why,
    ...(answered ? { answered } : {}),
  }
}
