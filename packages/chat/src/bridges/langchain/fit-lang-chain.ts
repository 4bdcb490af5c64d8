import { type FitOptions, fitNames } from '@throughline/core/context'
import { refuseUnknown } from '@throughline/core/errors'
import type { Receipt } from '@throughline/core/explain'
import type { PromptLayout } from '@throughline/core/messages'
import {
  type AddedMessage,
  fromLangChain,
  type LangChainMessage,
  toLangChain,
} from '@throughline/models/langchain'
import { fitPrompt } from '../fit-prompt.ts'

/** Options of `fitLangChain`. */
export interface FitLangChainOptions<A = AddedMessage> extends Omit<FitOptions, 'previous'> {
  /** Makes the messages that are added. Default: plain objects. Pass `coerceMessageLikeToMessage` for LangChain's own. */
  readonly create?: (message: AddedMessage) => A
}

/** The messages for one model call, with their receipt. */
export interface LangChainContext<M> {
  /** The same objects where messages were kept; changed messages keep their class. */
  readonly messages: M[]
  /** What they cost by the counter. */
  readonly tokens: number
  /** What became of every message, and why. */
  readonly receipt: Receipt
  /** With `systemPrompt: 'as user'`: pass it to the next `fitLangChain` of the conversation. */
  readonly promptLayout?: PromptLayout
  /** The `tools` to bind to the model: with shorter descriptions where `maxToolTokens` asks for it. Absent if there are none. */
  readonly tools?: readonly unknown[]
}

/**
 * `fit` for LangChain's messages.
 *
 * @example
 * const { messages } = fitLangChain(history, { window: 8192, create: coerceMessageLikeToMessage })
 * await model.invoke(messages)
 */
export function fitLangChain<M extends LangChainMessage, A = AddedMessage>(
  messages: readonly M[],
  options: FitLangChainOptions<A>,
): LangChainContext<M | A> {
  const { previous: _, ...names } = fitNames
  refuseUnknown(options, { ...names, create: 1 })
  const { create = (message: AddedMessage) => message as A, ...settings } = options
  const { messages: sent, ...context } = fitPrompt(messages.map(fromLangChain), settings)
  return { ...context, messages: sent.map(message => toLangChain<M, A>(message, create)) }
}
