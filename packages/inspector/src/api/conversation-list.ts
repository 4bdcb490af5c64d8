import type { InfiniteData } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { type AnswerOf, queryClient, readQuery } from './client.ts'
import { askConversations, conversationQuery, conversationsQuery } from './queries.ts'

export type ListedConversation = AnswerOf<'get /conversations'>['conversations'][number]
type Pages = InfiniteData<AnswerOf<'get /conversations'>>

/** When more conversations than this change at once, the first page of the list is read instead. */
const mostSingle = 8

/** Reads conversations again that were written to, and moves their rows. The rest of the list is not read. */
export async function refreshConversations(names: readonly string[]): Promise<void> {
  const listedNames = namesInList()
  if (!listedNames) return
  try {
    if (names.length > mostSingle || names.some(name => !listedNames.has(name)))
      // A new conversation may not be listed: only the server knows.
      putFirst((await askConversations()).conversations)
    else putFirst((await Promise.all(names.map(name => readOne(name)))).flat())
  } catch {
    // The server is away, or the key is gone: the page says so elsewhere, and everything is read again when it is back.
  }
}

/** The conversation; none if it was deleted. */
async function readOne(name: string): Promise<readonly ListedConversation[]> {
  try {
    return [await readQuery({ ...conversationQuery(name), staleTime: 0 })]
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error
    dropConversation(name)
    return []
  }
}

export function dropConversation(name: string): void {
  change(rows => rows.filter(({ conversation }) => conversation !== name))
}

/** Keeps only the first page, so that reading the list again is one request. */
export function restartList(): void {
  queryClient.setQueryData(
    conversationsQuery.queryKey,
    (pages: Pages | undefined) =>
      pages && { pages: pages.pages.slice(0, 1), pageParams: pages.pageParams.slice(0, 1) },
  )
}

function namesInList(): ReadonlySet<string> | undefined {
  const data = queryClient.getQueryData(conversationsQuery.queryKey)
  return (
    data && new Set(data.pages.flatMap(page => page.conversations.map(one => one.conversation)))
  )
}

/** Replaces old rows by fresh ones, which go into the first page by their time. */
function putFirst(fresh: readonly ListedConversation[]): void {
  const names = new Set(fresh.map(one => one.conversation))
  change((rows, page) => {
    const others = rows.filter(one => !names.has(one.conversation))
    if (page > 0) return others.length === rows.length ? rows : others
    return [...fresh, ...others].sort((a, b) => b.updatedAt - a.updatedAt)
  })
}

type Rows = Pages['pages'][number]['conversations']

/** Changes the rows of each page. A page without changes stays the same object. */
function change(rowsOf: (rows: Rows, page: number) => Rows): void {
  queryClient.setQueryData(conversationsQuery.queryKey, (cached: Pages | undefined) => {
    if (!cached) return cached
    const pages = cached.pages.map((page, at) => {
      const conversations = rowsOf(page.conversations, at)
      return conversations === page.conversations ? page : { ...page, conversations }
    })
    return { ...cached, pages }
  })
}
