import type { Message, MessageLike } from '../../log/message.ts'
import type { PlainMessage } from '../../log/write-message.ts'
import type { Part } from '../receipt.ts'

/** One message of the context in the making: what is sent, what it costs, which entries it carries. */
export interface Piece<M extends MessageLike = MessageLike> {
  readonly raw: Sent<M>
  readonly message: Message
  readonly tokens: number
  readonly part: Part
  /** The messages of the input that it carries; none for one that we add. */
  readonly seqs: readonly number[]
  /** Why it is not the caller's own object. */
  readonly altered?: { readonly rule: string; readonly why: string }
  /** Why it was added; absent for a message of the input. */
  readonly added?: string
  /** Pieces that were joined into this one. */
  readonly carries?: readonly Piece<M>[]
  /** A digest that wants an answer where roles must alternate. */
  readonly answered?: boolean
}

/**
 * What a context is made of: the caller's own messages, and the plain ones that we add.
 * (A tool result that we add has the shape of the caller's messages.)
 */
export type Sent<M> = M | PlainMessage
