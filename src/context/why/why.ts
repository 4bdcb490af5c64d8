import type { MessageLike } from '../../log/message.ts'
import type { FitOptions } from '../context.ts'
import { readConversation } from '../conversation/conversation.ts'
import { checkFit } from '../fit.ts'
import { type Why, whyConversation } from './why-conversation.ts'

/**
 * Says why a message of a list has its fate: which message asked for it and with which words, what took its room, when it
 * will leave. `seq` is its place in the list. More than `explain` says of a receipt, because it fits the list again.
 *
 * @example
 * why(chat, 20, { window: 4096 }).recall?.asking?.seq // the message that asked for it
 */
export function why(messages: readonly MessageLike[], seq: number, options: FitOptions): Why {
  return whyConversation(readConversation(messages, checkFit(messages, options)), options, seq)
}
