import type { Context, FitOptions } from '../context/context.ts'
import { fit } from '../context/fit.ts'
import type { MessageLike } from '../log/message.ts'

/**
 * `fit` for messages that are sent through a client library. Added messages are user messages here: Anthropic's and
 * Google's providers, and some chat templates, refuse a system message in the middle.
 */
export function fitPrompt<M extends MessageLike>(messages: readonly M[], options: FitOptions): Context<M> {
  const context = fit(messages, options)
  const added = new Set(context.receipt.inserted.map(({ place }) => place))
  return {
    ...context,
    messages: context.messages.map((message, place) =>
      added.has(place) && message.role === 'system' ? { ...message, role: 'user' } : message,
    ) as Context<M>['messages'],
  }
}
