import { InvalidOptionError } from '../../log/error.ts'
import type { MessageLike } from '../../log/message.ts'
import { type Draft, fullDraft } from './draft.ts'

/** How a conversation is fitted into a window: a step from draft to draft. */
export interface Policy {
  /** Stands in the receipt beside everything that this policy decided. */
  readonly name: string
  apply<M extends MessageLike>(draft: Draft<M>): Draft<M>
  /** Never set. Every function has `name`, `apply` and `call`: `spongebob` without its parentheses must not pass for a policy. */
  readonly call?: never
}

/** One policy after the other, each on what the one before left. */
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

/** Throws InvalidOptionError for what is no policy, above all for a function that makes one and was not called. */
export function checkPolicy(policy: Policy): void {
  const isFunction = typeof policy === 'function'
  if (!isFunction && typeof policy?.apply === 'function') return
  const name = policy?.name
  throw new InvalidOptionError(
    'policy',
    isFunction && name
      ? `is the function ${name}: call it, ${name}()`
      : 'expected a policy, such as balanced()',
  )
}
