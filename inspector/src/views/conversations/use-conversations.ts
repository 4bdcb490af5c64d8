import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { type ListedConversation, refreshConversations } from '../../api/conversation-list.ts'
import { conversationsQuery } from '../../api/queries.ts'
import type { ListSearch } from '../../parts/address.ts'
import { type Amounts, countAll, createFilter } from './filters.ts'

export interface Conversations {
  /** Those that are shown, last written to first. */
  readonly rows: readonly ListedConversation[]
  /** How many were read so far, whether they are shown or not. */
  readonly read: number
  readonly amounts: Amounts
  /** Whether the server has more that were not read yet. */
  readonly hasMore: boolean
  readonly readMore: () => void
}

/** The conversations that a filter shows. They are read page by page, as far as they are needed. */
export function useConversations({ show, client, q }: ListSearch): Conversations {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(conversationsQuery)
  const all = useMemo(() => distinct(data?.pages ?? []), [data])
  const rows = useMemo(() => all.filter(createFilter({ show, client, q })), [all, show, client, q])
  const amounts = useMemo(() => countAll(all), [all])
  useOpenTurns(all)
  return {
    ...{ rows, read: all.length, amounts, hasMore: hasNextPage },
    readMore: () => {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
  }
}

/** A conversation that was written to while pages were read may stand in two of them. */
function distinct(pages: readonly { readonly conversations: readonly ListedConversation[] }[]) {
  const seen = new Map<string, ListedConversation>()
  for (const { conversations } of pages)
    for (const one of conversations) if (!seen.has(one.conversation)) seen.set(one.conversation, one)
  return [...seen.values()]
}

/** Polls conversations with an open turn: a turn whose writer died becomes interrupted without a write. */
function useOpenTurns(all: readonly ListedConversation[]): void {
  const queryClient = useQueryClient()
  const open = all
    .filter(({ latest }) => latest?.status.state === 'open')
    .slice(0, 8)
    .map(one => one.conversation)
  const names = JSON.stringify(open)
  useEffect(() => {
    const conversations = JSON.parse(names) as string[]
    if (conversations.length === 0) return
    const timer = setInterval(() => void refreshConversations(queryClient, conversations), 10_000)
    return () => clearInterval(timer)
  }, [queryClient, names])
}
