import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { finish } from './compose/finish.ts'
import { checkInvariants } from './compose/invariants.ts'
import { isAsRead } from './compose/is-as-read.ts'
import type { Context, FitOptions } from './context.ts'
import type { Conversation } from './conversation/conversation.ts'
import { createDraft, fullDraft } from './draft/draft.ts'
import { createFrame } from './draft/frame.ts'
import { checkPolicy } from './draft/policy.ts'
import { makeReceipt } from './make-receipt.ts'
import { defaultPolicy } from './policies/default.ts'
import { sharedPrefix } from './shared-prefix.ts'

/** Fits a conversation. If a message was changed in place since it was read, everything is read again first. */
export function fitReading<M extends MessageLike>(
  conversation: Conversation<M>,
  readAgain: () => Conversation<M>,
  options: FitOptions,
): Context<M> {
  const context = fitConversation(conversation, options)
  if (context) return context
  // The previous context is unknown too: it may have had the changed message.
  const { previous: _, ...rest } = options
  return readWhole(fitConversation(readAgain(), rest))
}

/** Returns the context of freshly read messages; a message that has changed again already is not a plain object. */
export function readWhole<Fitted>(context: Fitted | undefined): Fitted {
  if (context) return context
  throw new InvalidOptionError('messages', 'a message changes while it is read: pass plain objects')
}

/** Fits a conversation as it was read; undefined when a message in the context was changed in place since. */
export function fitConversation<M extends MessageLike>(
  conversation: Conversation<M>,
  options: FitOptions,
): Context<M> | undefined {
  const frame = createFrame(conversation, options)
  const policy = options.policy ?? defaultPolicy
  checkPolicy(policy)
  const draft = fullDraft(policy.apply(createDraft(frame).as(policy.name)), frame)
  const finished = finish(draft)
  if (!isAsRead(finished)) return undefined
  checkInvariants(finished, policy.name)
  const prefix = options.previous && sharedPrefix(finished, options.previous)
  return {
    messages: finished.pieces.map(piece => piece.raw),
    tokens: finished.tokens,
    receipt: makeReceipt(finished, policy.name, prefix),
  }
}
