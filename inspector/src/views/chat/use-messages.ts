import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { blockOf, type ShownBlock, shownQuery } from '../../api/chat-queries.ts'
import type { ThreadAddress } from '../../api/queries.ts'
import { type ChatRow, toChatRows } from './chat-rows.ts'

/** Entries that are read before and after those in sight, so that scrolling shows no gap. */
const ahead = 60

/** The messages in sight, by blocks. `first` and `last` are entries, counted from 1. */
export function useMessages(
  thread: ThreadAddress,
  { head, mayInspect }: { readonly head: number; readonly mayInspect: boolean },
  first: number,
  last: number,
) {
  const blocks = useMemo(() => {
    const from = blockOf(Math.max(1, first - ahead))
    const to = blockOf(Math.max(1, Math.min(head, last + ahead)))
    return head === 0 ? [] : Array.from({ length: to - from + 1 }, (_, at) => from + at)
  }, [head, first, last])
  const { data, error, retry } = useQueries({
    queries: blocks.map(block => shownQuery(thread, block, { head, mayInspect })),
    combine: results => ({
      data: results.map(result => result.data),
      error: results.find(result => result.error && result.data === undefined)?.error ?? null,
      retry: () => void results.forEach(result => void (result.error && result.refetch())),
    }),
  })
  const rows = useRows(data)
  return {
    /** Undefined for an entry that is not for users, and for one that has not been read. */
    row: (seq: number) => rows.get(seq),
    isRead: (seq: number) => data[blocks.indexOf(blockOf(seq))] !== undefined,
    ...{ error, retry },
  }
}

/** Computed again only when a block was read or changed. */
function useRows(data: readonly (ShownBlock | undefined)[]): ReadonlyMap<number, ChatRow> {
  const read = data.filter(block => block !== undefined)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the blocks are compared one by one
  return useMemo(() => toChatRows(read), [read.length, ...padded(read)])
}

/** A list of one length, as dependencies must have; more blocks than these are never in sight. */
const padded = (read: readonly ShownBlock[]) => Array.from({ length: 6 }, (_, at) => read[at])
