import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { PlainMessage } from '../../log/write-message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { Entry } from '../conversation/unit.ts'
import type { Part } from '../receipt.ts'

/** One message of a context in the making: the message, its tokens, the entries in it. */
export interface Piece<M extends MessageLike = MessageLike> {
  readonly raw: Sent<M>
  readonly message: Message
  readonly tokens: number
  readonly part: Part
  /** Places of the input messages in it; none for a message that the library adds. */
  readonly seqs: readonly number[]
  /** Why the message is not the caller's own object. */
  readonly altered?: { readonly rule: string; readonly why: string }
  /** Why the message was added; absent for a message of the input. */
  readonly added?: string
  /** Pieces that were joined into this one. */
  readonly carries?: readonly Piece<M>[]
  /** A digest that wants an answer where roles must alternate. */
  readonly answered?: boolean
}

/** A message of a context: the caller's own, or a plain one that the library adds (a tool result in the caller's shape). */
export type Sent<M> = M | PlainMessage

/** A message of the input as it is sent. */
export function entryPiece<M extends MessageLike>(entry: Entry<M>, part: Part, seq: number): Piece<M> {
  const { raw, message, tokens } = entry
  const { altered } = entry.stamp
  return { raw, message, tokens, part, seqs: [seq], ...(altered && { altered }) }
}

/** A piece with another message in it, read and counted anew. */
export function rewritten<M extends MessageLike>(
  { count }: { readonly count: TokenCounter },
  piece: Omit<Piece<M>, 'raw' | 'message' | 'tokens'>,
  raw: Sent<M>,
): Piece<M> {
  const message = parseMessage(raw, piece.seqs[0] ?? 0)
  return { ...piece, raw, message, tokens: count.message(message) }
}
