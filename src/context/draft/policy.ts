import { InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { type Draft, fullDraft } from './draft.ts'

/** Decides how a conversation is fitted into a window: a step from draft to draft. */
export interface Policy {
  /** Names the policy in the receipt, beside everything that it decided. */
  readonly name: string
  apply<M extends MessageLike>(draft: Draft<M>): Draft<M>
  /** Never set. Functions have `name`, `apply` and `call`, so this refuses `spongebob` without its parentheses as a policy. */
  readonly call?: never
}

/** Runs policies one after the other, each on the draft of the one before. */
export function pipe(...policies: readonly Policy[]): Policy {
  policies.forEach(checkPolicy)
  return {
    name: policies.map(policy => policy.name).join(' + ') || 'nothing',
    apply: draft =>
      policies.reduce(
        (current, policy) => fullDraft(policy.apply(current.as(policy.name))),
        fullDraft(draft),
      ),
  }
}

/** Throws InvalidOptionError unless this is a policy, above all for a factory that was not called. */
export function checkPolicy(policy: Policy): void {
  const isFunction = typeof policy === 'function'
  const name = policy?.name
  if (!isFunction && name && typeof policy.apply === 'function') return
  throw new InvalidOptionError(
    'policy',
    isFunction && name
      ? `is the function ${name}: call it, ${name}()`
      : 'expected a policy, such as balanced() or { name, apply }',
  )
}
