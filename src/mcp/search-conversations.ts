import type { History } from '../history/index.ts'
import { cut } from '../log/line.ts'
import type { ThreadKey } from '../stores/store.ts'
import { toTime } from './to-time.ts'

export async function searchConversations(
  history: History,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<string> {
  const found = await history.search(query, { limit })
  if (found.length === 0)
    return 'Nothing was found. A word must be in the message as it is written there: try other words.'
  const lines = found.map(
    ({ thread, seq, role, time, snippet }) =>
      `- ${nameLine(thread)} #${seq}, ${role}, ${toTime(time)}: ${cut(snippet, 300)}`,
  )
  const { thread, seq } = found[0]!
  const how = `To read around one: read_conversation with conversation: ${JSON.stringify(thread.conversation)}, around: ${seq}.`
  const more = found.length < limit ? [] : ['There may be more: ask with a higher limit or with more words.']
  return [...lines, '', how, ...more].join('\n')
}

/** Names the line of a conversation, as the tools take it. */
export function nameLine({ conversation, actor, branch }: ThreadKey): string {
  const line = [
    actor !== 'assistant' && `actor ${JSON.stringify(actor)}`,
    branch !== 'main' && `branch ${JSON.stringify(branch)}`,
  ]
  return [JSON.stringify(conversation), ...line.filter(Boolean)].join(' ')
}
