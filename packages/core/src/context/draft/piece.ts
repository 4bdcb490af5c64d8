import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Part, Remembered } from '../receipt.ts'
import type { UnitRange } from './span.ts'

/** One message of a context in the making: the message, its tokens, the entries in it. */
export interface Piece {
  readonly raw: MessageLike
  readonly message: Message
  readonly tokens: number
  readonly part: Part
  /** Places of the input messages in it; none for a message that the library adds. */
  readonly seqs: readonly number[]
  /** Why the message is not the caller's own object. */
  readonly altered?: Reason
  /** Whether a long result or answer in it is one line. */
  readonly isCleared?: boolean
  /** Who protected the message, if a policy did. */
  readonly held?: Reason
  /** Why the message was added; absent for a message of the input. */
  readonly added?: string
  /** The units that an added text stands for, or the entries of the notes in it. */
  readonly of?: readonly UnitRange[]
  readonly notes?: readonly number[]
  readonly remembered?: Remembered
  /** Pieces that were joined into this one. */
  readonly carries?: readonly Piece[]
  /** A digest that wants an answer where roles must alternate. */
  readonly answered?: boolean
}

/** The rule that decided, and why. */
export interface Reason {
  readonly rule: string
  readonly why: string
}

/** A message of the input as it is sent. */
export function entryPiece(
  { raw, message, tokens, altered }: Entry,
  part: Part,
  seq: number,
): Piece {
  return { raw, message, tokens, part, seqs: [seq], altered }
}

/** A piece with another message in it, read and counted anew. */
export function rewritten(
  { count }: { readonly count: TokenCounter },
  piece: Omit<Piece, 'raw' | 'message' | 'tokens'>,
  raw: MessageLike,
): Piece {
  const message = parseMessage(raw, piece.seqs[0] ?? 0)
  return { ...piece, raw, message, tokens: count.message(message) }
}
