import { z } from 'zod'
import { defineMcpTool, threadFields, toTime } from './define-mcp-tool.ts'
import { findConversation } from './find-thread.ts'
import { createNames, indent } from './search-conversations.ts'

const mostQuotes = 50

/** The most characters of a quote: enough for most messages, and a long one must leave room for others. */
const longest = 900

export const recall = defineMcpTool(
  'recall',
  'Quotes what was said before that fits a question best, in all conversations or in one: with conversation, day and place.',
  {
    question: z.string().min(1).max(2000).describe('what you want to know, in words that may have been used'),
    conversation: threadFields.conversation.optional().describe('only what was said in this conversation'),
    tokens: z.int().min(100).max(4000).default(1000).describe('the most tokens of the answer, about'),
  },
  async (history, { question, conversation, tokens }) => {
    if (conversation !== undefined) await findConversation(history, conversation)
    // A quote takes at most about a quarter of the tokens, also in Chinese.
    const characters = Math.min(longest, Math.floor((3 * tokens) / 4))
    const hits = await history.search(question, { limit: mostQuotes, conversation, characters, lines: true })
    if (hits.length === 0)
      return 'Nothing was said before that has a word of the question. Ask in other words, or with names.'
    const nameOf = createNames(history)
    const lines: string[] = []
    let left = tokens
    for (const { thread, seq, role, time, snippet } of hits) {
      const line = `- ${await nameOf(thread)}, ${toTime(time).slice(0, 10)}, #${seq} ${role}: ${indent(snippet)}`
      left -= history.count.text(line)
      if (left < 0 && lines.length > 0) break
      lines.push(line)
    }
    const { thread, seq } = hits[0]!
    const how = `To read on around the first: read_conversation with conversation: ${JSON.stringify(thread.conversation)}, around: ${seq}.`
    return ['Said before, what fits best first:', ...lines, '', how].join('\n')
  },
)
