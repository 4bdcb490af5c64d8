import { BadRequestError } from '../../../log/bad-request-error.ts'
import { isCount } from '../../../log/is-count.ts'
import type { ListedItem } from './to-items.ts'

/** Which part of a list a client asks for. */
export interface PageQuery {
  readonly order: 'asc' | 'desc'
  readonly limit: number
  /** The last item of the page before. */
  readonly after: string | undefined
}

/** Reads `order`, `limit` and `after`, with OpenAI's defaults. */
export function readPageQuery(query: (name: string) => string | undefined): PageQuery {
  const order = query('order') ?? 'desc'
  if (order !== 'asc' && order !== 'desc')
    throw new BadRequestError('"order" must be "asc" or "desc"', 'order')
  const limit = Number(query('limit') ?? 20)
  if (!isCount(limit, 1) || limit > 100)
    throw new BadRequestError('"limit" must be a whole number from 1 to 100', 'limit')
  return { order, limit, after: query('after') || undefined }
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
  const hasMore = data.length > limit
  return listOf(data.slice(0, limit), hasMore)
}

export const listOf = (data: readonly ListedItem[], hasMore = false) => ({
  object: 'list' as const,
  data,
  first_id: data[0]?.id ?? null,
  last_id: data.at(-1)?.id ?? null,
  has_more: hasMore,
})
