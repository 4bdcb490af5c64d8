import type { History } from '../history/index.ts'
import { cut } from '../log/line.ts'
import type { Found } from '../stores/store.ts'
import { toWanted } from '../stores/words.ts'
import { toTime } from './to-time.ts'

export async function searchConversations(
  history: History,
  { query, limit }: { readonly query: string; readonly limit: number },
): Promise<string> {
  const found = (await rankedSearch(history, query)).slice(0, limit)
  if (found.length === 0)
    return 'Nothing was found. A word must be in the message as it is written there: try other words.'
  const lines = found.map(({ thread: { conversation, actor, branch }, seq, role, time, snippet }) => {
    const line = [
      actor !== 'assistant' && `actor ${JSON.stringify(actor)}`,
      branch !== 'main' && `branch ${JSON.stringify(branch)}`,
    ]
    const where = [JSON.stringify(conversation), ...line.filter(Boolean)].join(' ')
    return `- ${where} #${seq}, ${role}, ${toTime(time)}: ${cut(snippet, 300)}`
  })
  const { thread, seq } = found[0]!
  const how = `To read around one: read_conversation with conversation: ${JSON.stringify(thread.conversation)}, around: ${seq}.`
  const more = found.length < limit ? [] : ['There may be more: ask with a higher limit or with more words.']
  return [...lines, '', how, ...more].join('\n')
}

/** Words of a query that are looked for one by one, and the messages that are looked at for each. */
const mostWords = 12
const mostFound = 100

/** Messages with any of the words: those with the most and the rarest first, the newest among equals. */
async function rankedSearch(history: History, query: string): Promise<readonly Found[]> {
  const wanted = toWanted(query)
  const lists = await Promise.all(
    [query, ...(wanted.length > 1 ? wanted.slice(0, mostWords) : [])].map(words =>
      history.search(words, { limit: mostFound }),
    ),
  )
  const ranked = new Map<string, { readonly found: Found; score: number }>()
  for (const list of lists) {
    for (const found of list) {
      const { conversation, actor, branch } = found.thread
      const key = JSON.stringify([conversation, actor, branch, found.seq])
      const one = ranked.get(key) ?? { found, score: 0 }
      one.score += 1 / list.length
      ranked.set(key, one)
    }
  }
  return [...ranked.values()]
    .sort((a, b) => b.score - a.score || b.found.time - a.found.time)
    .map(({ found }) => found)
}
