import { BadRequestError } from '@throughline/core/errors'
import { type MessageLike, notedResult } from '@throughline/core/messages'
import { isCount } from '@throughline/core/values'
import type { LoggedMessage } from '@throughline/history'
import { type LogSource, readLog } from '@throughline/history/log'
import { toOutput } from '@throughline/models/dialects'
import { fromKept } from '../../exchange/kept-reply.ts'

interface ListedItem {
  readonly id: string
  readonly type: string
  readonly [field: string]: unknown
}

type PageQuery = ReturnType<typeof readPageQuery>

/** Reads `order`, `limit` and `after`, the last item of the page before, with OpenAI's defaults. */
export function readPageQuery(query: (name: string) => string | undefined) {
  const order = query('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw new BadRequestError('"order" must be "asc" or "desc"', 'order')
  const limit = Number(query('limit') ?? 20)
  if (!isCount(limit, 1) || limit > 100)
    throw new BadRequestError('"limit" must be a whole number from 1 to 100', 'limit')
  return { order, limit, after: query('after') || undefined } as const
}

/** One page of a list. No more of the list is read than the page needs. */
export async function pageOf(items: AsyncIterable<ListedItem>, { limit, after }: PageQuery) {
  const data: ListedItem[] = []
  let isAfter = after === undefined
  for await (const item of items) {
    if (isAfter) data.push(item)
    else isAfter = item.id === after
    if (data.length > limit) break
  }
  if (!isAfter) throw new BadRequestError('"after" names no item of this list', 'after')
  return listOf(data.slice(0, limit), data.length > limit)
}

export const listOf = (data: readonly ListedItem[], hasMore = false) => ({
  object: 'list' as const,
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
})

/** The items of a thread, of all its entries or of those from one to another. */
export async function* itemsOf(
  source: LogSource,
  order: PageQuery['order'],
  range: { readonly from?: number; readonly to?: number } = {},
) {
  for await (const one of readLog(source, { ...range, reverse: order === 'desc' })) {
    const items = toItems(one)
    yield* order === 'desc' ? items.toReversed() : items
  }
}

/** A logged message as items of OpenAI's; none for what no user may see. */
export function toItems(entry: LoggedMessage): readonly ListedItem[] {
  const { message, reading, id, isClosing, isBroken } = entry
  if (isClosing || isBroken) return []
  const { role, text, results } = reading
  switch (role) {
    case 'assistant': {
      const { start, end } = fromKept(entry)
      return toOutput(start, end) as readonly ListedItem[]
    }
    case 'user':
    case 'system':
      return [
        {
          id: `msg_${id}`,
          type: 'message',
          status: 'completed',
          role,
          content: toParts(message, text),
        },
      ]
    case 'tool':
      if (text === notedResult) return []
      return results.map(({ callId = '', text: output }, at) => ({
        id: at === 0 ? `fco_${id}` : `fco_${id}_${at}`,
        type: 'function_call_output',
        status: 'completed',
        call_id: callId,
        output,
      }))
    default:
      return []
  }
}

/** A content in OpenAI's parts. Files and images come back as they were given. */
function toParts({ content }: MessageLike, text: string): readonly object[] {
  if (!Array.isArray(content)) return [{ type: 'input_text', text }]
  return content.flatMap(toPart)
}

function toPart(part: unknown): readonly object[] {
  if (typeof part === 'string') return [{ type: 'input_text', text: part }]
  const fields = (part ?? {}) as Readonly<Record<string, unknown>>
  const { type, text, image_url: image, file, data, filename } = fields
  if (type === 'text') return [{ type: 'input_text', text }]
  if (type === 'image_url') {
    const { url, detail = 'auto' } = (image ?? {}) as Readonly<Record<string, unknown>>
    return [{ type: 'input_image', image_url: url, detail, file_id: null }]
  }
  if (type === 'input_audio') return [fields]
  if (type === 'file' && file) return [{ type: 'input_file', ...file }]
  return type === 'file' ? [{ type: 'input_file', file_url: data, filename }] : []
}
