import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { textCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { Piece } from '../draft/piece.ts'
import type { Part } from '../receipt.ts'

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
