import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { showValue } from '../log/show-value.ts'
import type { Context, FitOptions } from './context.ts'
import { forgetConversation, readConversation } from './conversation/conversation.ts'
import { checkOptions, counterOf } from './draft/frame-options.ts'
import { fitReading } from './fit-conversation.ts'

/**
 * Fits a conversation into a window and accounts for every message of it.
 * Pure: the same messages and options give the same context; nothing that is passed in is changed.
 *
 * @example
 * const { messages, receipt } = fit(chat, { window: 4096, reserve: 512 })
 */
export function fit<M extends MessageLike>(messages: readonly M[], options: FitOptions): Context<M> {
  checkOptions(options)
  if (!Array.isArray(messages))
    throw new InvalidOptionError('messages', `expected a list, got ${showValue(messages)}`)
  const count = counterOf(options)
  const conversation = readConversation(messages, count)
  const readAgain = () => {
    forgetConversation(conversation, count)
    return readConversation(messages, count)
  }
  return fitReading(conversation, readAgain, options)
}
