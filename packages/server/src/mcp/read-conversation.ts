import { readMessage } from '@throughline/core/messages'
import { plural } from '@throughline/core/values'
import type { DisplayMessage } from '@throughline/history'
import { z } from 'zod'
import {
  defineMcpTool,
  pageField,
  pageSize,
  placeField,
  threadFields,
  toPage,
} from './define-mcp-tool.ts'
import { findThread } from './find-thread.ts'

export const readConversation = defineMcpTool(
  'read_conversation',
  'Reads a conversation as its user saw it: its end, or what was said around a place.',
  {
    ...threadFields,
    around: placeField.describe('the place of a message, such as 12 for #12; default: the end'),
    limit: z
      .int()
      .min(1)
      .max(100)
      .default(20)
      .describe('how many messages; 1 gives a message in full'),
    page: pageField,
  },
  async (history, query) => {
    const { around, limit, page } = query
    const { thread, head } = await findThread(history, query)
    const half = Math.floor((limit - 1) / 2)
    const shown = await thread.display({
      limit,
      at: around === undefined ? undefined : around + half,
    })
    if (shown.length === 0) return 'There is nothing here that a user could see.'
    if (limit === 1) return toPage(show(shown[0]!, Number.POSITIVE_INFINITY), page)
    // Together they fill a page, however many there are.
    const most = Math.max(200, Math.floor((pageSize - 500) / shown.length))
    const [first, last] = [shown[0]!.seq, shown.at(-1)!.seq]
    const hints = [
      first > 1 && `Earlier: around: ${Math.max(1, first - 1 - half)}.`,
      last < head && `Later: around: ${last + limit - half}.`,
    ].filter(Boolean)
    const place = `(#${first} to #${last} of ${plural(head, 'place')}. ${hints.join(' ')})`
    return [...shown.map(message => show(message, most)), place].join('\n\n')
  },
)

/** A message as text. Of a long one the beginning, and how to get the rest. */
function show(message: DisplayMessage, most: number): string {
  const { seq } = message
  const { role, text, calls, results, media } = readMessage(message, seq)
  const words = [
    role === 'tool' ? '' : text,
    ...calls.map(({ name, arguments: json }) => `→ ${name}(${json})`),
    ...results.map(({ name, text: result }) => `← ${name ?? 'result'}: ${result}`),
    media > 0 ? `(${plural(media, 'image or file')})` : '',
  ]
    .filter(line => line !== '')
    .join('\n')
  const rest = words.length - most
  if (rest <= 0) return `#${seq} ${role}: ${words}`
  return `#${seq} ${role}: ${words.slice(0, most)}… (${rest} more characters: around: ${seq}, limit: 1)`
}
