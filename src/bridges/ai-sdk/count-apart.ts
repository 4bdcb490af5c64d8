import type { Message } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'

/**
 * Counts each tool result as a message of its own. The AI SDK puts all results of a round into one message, but most
 * providers are sent one message for each, with its framing.
 */
export function countApart(count: TokenCounter): TokenCounter {
  return {
    ...count,
    id: `${count.id}/apart`,
    message(message) {
      const { role, results } = message
      const together = count.message(message)
      if (role !== 'tool' || results.length < 2) return together
      const apart = results.reduce((sum, _, at) => sum + count.message(only(message, at)), 0)
      return Math.max(together, apart)
    },
  }
}

/** A message with one of the results; its other parts go with the first. */
function only(message: Message, at: number): Message {
  const result = message.results[at]!
  const rest = at === 0 ? {} : { media: 0, unknown: '', thinking: '' }
  return { ...message, ...rest, text: result.text, results: [result] }
}
