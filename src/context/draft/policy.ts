import type { MessageLike } from '../../log/message.ts'
import type { Draft } from './draft.ts'

/** How a conversation is fitted into a window: a step from draft to draft. */
export interface Policy {
  /** Stands in the receipt beside everything that this policy decided. */
  readonly name: string
  apply<M extends MessageLike>(draft: Draft<M>): Draft<M>
}

/** One policy after the other, each on what the one before left. */
export function pipe(...policies: readonly Policy[]): Policy {
  return {
    name: policies.map(policy => policy.name).join(' + ') || 'nothing',
    apply: draft => policies.reduce((current, policy) => policy.apply(current.as(policy.name)), draft),
  }
}
