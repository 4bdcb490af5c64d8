import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { finish } from './compose/finish.ts'
import { checkInvariants } from './compose/invariants.ts'
import { isAsRead } from './compose/is-as-read.ts'
import type { Context, FitOptions } from './context.ts'
import type { Conversation } from './conversation/read-conversation.ts'
import { createDraft, fullDraft } from './draft/draft.ts'
import { createFrame } from './draft/frame.ts'
import { checkPolicy } from './draft/policy.ts'
import { makeReceipt } from './make-receipt.ts'
import { defaultPolicy } from './policies/default.ts'
import { sharedPrefix } from './shared-prefix.ts'

/** Fits what was read. Gives undefined when a message that would be sent was changed in place since it was counted. */
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
