/**
 * What is left of a request when Ollama has cut it: the oldest messages go until the rest fits into `num_ctx`. System
 * messages and the last message stay. Nothing is said about it, and nothing is kept free for the answer. This is done here
 * again because Ollama does not tell which messages it dropped, only how many tokens it read.
 */
import { type MessageLike, parseMessage, type TokenCounter } from 'throughline'

export interface Cut {
  readonly messages: readonly MessageLike[]
  readonly tokens: number
}

export function ollamaCut(
  messages: readonly MessageLike[],
  numCtx: number,
  count: TokenCounter,
): Cut {
  const read = messages.map((raw, at) => {
    const message = parseMessage(raw, at)
    return { raw, isSystem: message.role === 'system', tokens: count.message(message) }
  })
  let tokens = read.reduce((sum, one) => sum + one.tokens, 0)
  const kept = read.filter((one, at) => {
    // One token must be left for the answer.
    if (tokens < numCtx || one.isSystem || at === read.length - 1) return true
    tokens -= one.tokens
    return false
  })
  return { messages: kept.map(({ raw }) => raw), tokens }
}
