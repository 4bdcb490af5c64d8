import { type Context, type FitOptions, fit, withoutLateSystem } from '@throughline/core/context'
import type { MessageLike } from '@throughline/core/messages'

/** `fit` that adds user messages: many providers and chat templates refuse a system message in the middle. */
export function fitPrompt<M extends MessageLike>(
  messages: readonly M[],
  options: FitOptions,
): Context<M> {
  const context = fit(messages, {
    ...options,
    systemPrompt: withoutLateSystem(options.systemPrompt),
  })
  const { sent } = context.receipt
  const isAdded = (place: number) =>
    sent[place]!.seqs.length === 0 && sent[place]!.part !== 'system'
  return {
    ...context,
    messages: context.messages.map((message, place) =>
      isAdded(place) && message.role === 'system' ? { ...message, role: 'user' } : message,
    ) as Context<M>['messages'],
  }
}
