import { z } from 'zod'
import type { History } from '../history/index.ts'
import { titleOf } from '../history/title-of.ts'
import { cut } from '../log/line.ts'
import type { ThreadKey } from '../stores/store.ts'
import { defineMcpTool, toTime } from './define-mcp-tool.ts'

export const searchConversations = defineMcpTool(
  'search_conversations',
  'Finds messages of past conversations that have any of the given words: those with the most and the rarest of them first.',
  {
    query: z.string().min(1).max(500).describe('the words to look for'),
    limit: z.int().min(1).max(50).default(10).describe('the most messages to find'),
  },
  async (history, { query, limit }) => {
    const hits = await history.search(query, { limit, characters: 300, lines: true })
    if (hits.length === 0) return 'Nothing was found: try other words.'
    const nameOf = createNames(history)
    const lines: string[] = []
    for (const { thread, seq, role, time, snippet } of hits)
      lines.push(`- ${await nameOf(thread)} #${seq}, ${role}, ${toTime(time)}: ${indent(snippet)}`)
    const { thread, seq } = hits[0]!
    const how = `To read around one: read_conversation with conversation: ${JSON.stringify(thread.conversation)}, around: ${seq}.`
    const more = hits.length < limit ? [] : ['There may be more: ask with a higher limit or with more words.']
    return [...lines, '', how, ...more].join('\n')
  },
)

/** A quote of several lines stands below its message. */
export const indent = (quote: string): string =>
  quote.includes('\n') ? `\n    ${quote.replaceAll('\n', '\n    ')}` : quote

/** Names the line of a conversation as the tools take it, after the title of the conversation. */
export function createNames(history: History): (thread: ThreadKey) => Promise<string> {
  const titles = new Map<string, string | undefined>()
  return async thread => {
    const { conversation } = thread
    if (!titles.has(conversation)) {
      const [info] = await history.conversations({ only: conversation, limit: 1 })
      titles.set(conversation, info && (await titleOf(history, info)))
    }
    const title = titles.get(conversation)
    return `${title === undefined ? '' : `${JSON.stringify(cut(title, 100))} `}${nameLine(thread)}`
  }
}

function nameLine({ conversation, actor, branch }: ThreadKey): string {
  const line = [
    actor !== 'assistant' && `actor ${JSON.stringify(actor)}`,
    branch !== 'main' && `branch ${JSON.stringify(branch)}`,
  ]
  return [JSON.stringify(conversation), ...line.filter(Boolean)].join(' ')
}
