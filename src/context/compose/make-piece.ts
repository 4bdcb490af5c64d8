import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { textCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { Piece } from '../draft/piece.ts'
import type { Part } from '../receipt.ts'

/** A text that is added, and why. */
export interface Added {
  readonly part: Part
  readonly role: 'system' | 'user' | 'assistant'
  readonly text: string
  readonly why: string
  readonly answered?: boolean
}

export function addedPiece<M extends MessageLike>(
  frame: Frame<M>,
  { part, role, text, why, answered = false }: Added,
): Piece<M> {
  const raw = { role, content: text }
  const tokens = textCost(frame, role, text)
  return { raw, message: parseMessage(raw, 0), tokens, part, seqs: [], added: why, answered }
}
