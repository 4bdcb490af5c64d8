import type { FitOptions } from '../../context/context.ts'
import type { Receipt } from '../../context/receipt.ts'
import { fitPrompt } from '../fit-prompt.ts'
import { fromLangChain, type View } from './from-lang-chain.ts'
import type { AddedMessage, LangChainMessage } from './lang-chain-message.ts'
import { toLangChain } from './to-lang-chain.ts'

export interface FitLangChainOptions<A = AddedMessage> extends Omit<FitOptions, 'previous'> {
  /** Makes the messages that are added. Default: plain objects. Pass `coerceMessageLikeToMessage` for LangChain's own. */
  readonly create?: (message: AddedMessage) => A
}

export interface LangChainContext<M> {
  /** The same objects where messages were kept; changed messages keep their class. */
  readonly messages: M[]
  readonly tokens: number
  readonly receipt: Receipt
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
  { create = message => message as A, ...options }: FitLangChainOptions<A>,
): LangChainContext<M | A> {
  const views = new Map<M, View>()
  for (const message of messages) views.set(message, fromLangChain(message))
  const viewOf = (message: M) => views.get(message)!
  const { messages: sent, tokens, receipt } = fitPrompt(messages.map(viewOf), options)
  return { messages: sent.map(message => toLangChain(message, viewOf, create)), tokens, receipt }
}
