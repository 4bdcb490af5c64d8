import { showValue } from '@throughline/core/errors'
import { cut, few, plural } from '@throughline/core/values'
import type { History } from '@throughline/history'
import { isSideName } from '@throughline/history/log'
import { titleOf } from '@throughline/history/threads'
import type { ConversationInfo, ThreadKey } from '@throughline/stores/store'
import { z } from 'zod'
import { defineMcpTool, threadFields, toTime } from './define-mcp-tool.ts'
import { findConversation } from './find-thread.ts'

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
    const more =
      hits.length < limit ? [] : ['There may be more: ask with a higher limit or with more words.']
    return [...lines, '', how, ...more].join('\n')
  },
)

/** A quote of several lines stands below its message. */
const indent = (quote: string): string =>
  quote.includes('\n') ? `\n    ${quote.replaceAll('\n', '\n    ')}` : quote

/** Names the line of a conversation as the tools take it, after the title of the conversation. */
function createNames(history: History): (thread: ThreadKey) => Promise<string> {
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

const mostQuotes = 50

/** The most characters of a quote: enough for most messages, and a long one must leave room for others. */
const longest = 900

export const recall = defineMcpTool(
  'recall',
  'Quotes what was said before that fits a question best, in all conversations or in one: with conversation, day and place.',
  {
    question: z
      .string()
      .min(1)
      .max(2000)
      .describe('what you want to know, in words that may have been used'),
    conversation: threadFields.conversation
      .optional()
      .describe('only what was said in this conversation'),
    tokens: z
      .int()
      .min(100)
      .max(4000)
      .default(1000)
      .describe('the most tokens of the answer, about'),
  },
  async (history, { question, conversation, tokens }) => {
    if (conversation !== undefined) await findConversation(history, conversation)
    // A quote takes at most about a quarter of the tokens, also in Chinese.
    const characters = Math.min(longest, Math.floor((3 * tokens) / 4))
    const hits = await history.search(question, {
      limit: mostQuotes,
      conversation,
      characters,
      lines: true,
    })
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

export const listConversations = defineMcpTool(
  'list_conversations',
  'Lists conversations with their titles, the last used first.',
  {
    limit: z.int().min(1).max(100).default(20).describe('the most conversations to list'),
    after: z.string().max(1000).optional().describe('the last conversation of the previous page'),
  },
  async (history, { limit, after }) => {
    const [last] = after === undefined ? [] : await history.conversations({ only: after, limit: 1 })
    if (after !== undefined && !last)
      return `There is no conversation ${showValue(after)} any longer.`
    const infos = await readPage(history, limit, last)
    if (infos.length === 0) return last ? 'There are no more.' : 'There are no conversations yet.'
    const titles = await Promise.all(infos.map(info => titleOf(history, info)))
    const lines = infos.map(({ conversation, updatedAt, threads }, at) => {
      const title = titles[at]
      const named = title === undefined ? '' : ` ${JSON.stringify(cut(title, 100))}`
      const heads = threads
        .filter(({ branch }) => !isSideName(branch))
        .map(({ actor, branch, head }) =>
          actor === 'assistant' && branch === 'main'
            ? plural(head, 'message')
            : `${cut(actor, 40)}/${cut(branch, 40)} ${head}`,
        )
      return `- ${JSON.stringify(conversation)}${named}, last used ${toTime(updatedAt)}, ${few(heads, 5)}`
    })
    const next = `More: list_conversations with after: ${JSON.stringify(infos.at(-1)!.conversation)}.`
    const more = infos.length < limit ? [] : ['', next]
    return [...lines, ...more].join('\n')
  },
)

/** A page without what clients of the server asked beside conversations. */
async function readPage(history: History, limit: number, last: ConversationInfo | undefined) {
  const infos: ConversationInfo[] = []
  for (let after = last; ; ) {
    const page = await history.conversations({ limit, after })
    for (const one of page)
      if (infos.length < limit && !isSideName(one.conversation)) infos.push(one)
    if (infos.length === limit || page.length < limit) return infos
    after = page.at(-1)
  }
}
