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

/** Fits what was read; where a message was changed in place since, what is there when everything is read again. */
export function fitReading<M extends MessageLike>(
  conversation: Conversation<M>,
  readAgain: () => Conversation<M>,
  options: FitOptions,
): Context<M> {
  const context = fitConversation(conversation, options)
  if (context) return context
  // What the call before was sent has changed with the message: nobody knows it any more.
  const { previous: _, ...rest } = options
  return readWhole(fitConversation(readAgain(), rest))
}

/** A context of what was just read. A message that has changed again is no plain object. */
export function readWhole<Fitted>(context: Fitted | undefined): Fitted {
  if (context) return context
  throw new InvalidOptionError('messages', 'a message changes while it is read: pass plain objects')
}

/** Fits what was read. Gives undefined when a message that has a part in it was changed in place since. */
export function fitConversation<M extends MessageLike>(
  conversation: Conversation<M>,
  options: FitOptions,
): Context<M> | undefined {
  const frame = createFrame(conversation, options)
  const policy = options.policy ?? defaultPolicy
  checkPolicy(policy)
  const draft = fullDraft(policy.apply(createDraft(frame).as(policy.name)))
  if (draft?.frame !== frame) {
    throw new InvalidOptionError('policy', `"${policy.name}" gave no draft of this conversation back`)
  }
  const finished = finish(draft)
  if (!isAsRead(finished)) return undefined
  checkInvariants(finished, policy.name)
  const prefix = options.previous ? sharedPrefix(finished, options.previous) : undefined
  return {
    messages: finished.pieces.map(piece => piece.raw),
    tokens: finished.tokens,
    receipt: makeReceipt(finished, policy.name, prefix),
  }
}
