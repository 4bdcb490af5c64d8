import type { MessageLike } from '../log/message.ts'
import { createDraft } from './draft.ts'
import { finish } from './finish.ts'
import { createFrame } from './frame.ts'
import type { FrameOptions } from './frame-options.ts'
import { checkInvariants } from './invariants.ts'
import { makeReceipt } from './make-receipt.ts'
import type { Sent } from './piece.ts'
import { defaultPolicy } from './policies/default.ts'
import type { Policy } from './policy.ts'
import { forgetConversation, isUnchanged } from './read-conversation.ts'
import type { Receipt } from './receipt.ts'

/** How a conversation is fitted. Only the window is needed. */
export interface FitOptions extends FrameOptions {
  /** What goes when not everything fits. Default: defaultPolicy. */
  readonly policy?: Policy
}

/** The message list for one model call, with its receipt. */
export interface Context<M extends MessageLike = MessageLike> {
  /** The caller's own objects wherever a message was kept, and the few plain ones that we add. */
  readonly messages: Sent<M>[]
  readonly tokens: number
  readonly receipt: Receipt
}

/**
 * Fits a conversation into a window and accounts for every message of it.
 * Pure: the same messages and options give the same context; nothing that is passed in is changed.
 *
 * @example
 * const { messages, receipt } = fit(chat, { window: 4096, reserve: 512 })
 */
export function fit<M extends MessageLike>(messages: readonly M[], options: FitOptions): Context<M> {
  const frame = createFrame(messages, options)
  const policy = options.policy ?? defaultPolicy
  const finished = finish(policy.apply(createDraft(frame).as(policy.name)))
  const { system, transcript, count } = frame
  const changed = finished.pieces.some(({ seqs }) =>
    seqs.some(seq => seq >= system.length && !isUnchanged(transcript.entries[seq - system.length]!)),
  )
  if (changed) {
    // A message was changed in place since it was counted: what we remember of the conversation is worth nothing.
    forgetConversation(transcript.entries[0]?.source, count)
    return fit(messages, options)
  }
  checkInvariants(finished, policy.name)
  return {
    messages: finished.pieces.map(piece => piece.raw),
    tokens: finished.tokens,
    receipt: makeReceipt(finished, policy.name),
  }
}
