import { z } from 'zod'
import type { History } from '../history/index.ts'
import { isSideName } from '../history/side-name.ts'
import { titleOf } from '../history/title-of.ts'
import { showValue } from '../log/error.ts'
import { cut, few, plural } from '../log/line.ts'
import type { ConversationInfo } from '../stores/store.ts'
import { defineMcpTool, toTime } from './define-mcp-tool.ts'

export const listConversations = defineMcpTool(
  'list_conversations',
  'Lists conversations with their titles, the last used first.',
  {
    limit: z.int().min(1).max(100).default(20).describe('the most conversations to list'),
    after: z.string().max(1000).optional().describe('the last conversation of the previous page'),
  },
  async (history, { limit, after }) => {
    const [last] = after === undefined ? [] : await history.conversations({ only: after, limit: 1 })
    if (after !== undefined && !last) return `There is no conversation ${showValue(after)} any longer.`
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
    for (const one of page) if (infos.length < limit && !isSideName(one.conversation)) infos.push(one)
    if (infos.length === limit || page.length < limit) return infos
    after = page.at(-1)
  }
}
