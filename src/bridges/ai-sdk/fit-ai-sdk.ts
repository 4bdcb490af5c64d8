import type { Context, FitOptions } from '../../context/context.ts'
import { checkOptions, counterOf } from '../../context/draft/frame-options.ts'
import type { MessageLike } from '../../log/message.ts'
import { fitPrompt } from '../fit-prompt.ts'
import { countApart } from './count-apart.ts'
import { unweighed, weighResults } from './weigh-results.ts'

/** `fit` for messages of the AI SDK, counted as its providers send them. */
export function fitAiSdk<M extends MessageLike>(messages: readonly M[], options: FitOptions): Context<M> {
  checkOptions(options)
  const count = countApart(counterOf(options))
  const context = fitPrompt(messages.map(weighResults), { ...options, count })
  return { ...context, messages: context.messages.map(unweighed) }
}
