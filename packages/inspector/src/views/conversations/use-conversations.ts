import { useInfiniteQuery } from '@tanstack/react-query'
import { groupBy } from '@throughline/core/values'
import { useEffect, useMemo } from 'react'
import { type ListedConversation, refreshConversations } from '../../api/conversation-list.ts'
import { conversationsQuery } from '../../api/queries.ts'
import type { ListSearch } from '../../parts/address.ts'
import { endWords, owedWords, warningText } from '../../parts/fault-words.ts'
import { titleOf } from '../../parts/format.ts'
import type { MarkName } from '../../parts/status-mark.tsx'
import { clientOf } from './client-cell.tsx'

/** The conversations that a filter shows, last written to first. They are read page by page, as far as they are needed. */
export function useConversations({ show, client, q }: ListSearch) {
  const { data, hasNextPage, isFetching, fetchNextPage } = useInfiniteQuery(conversationsQuery)
  const all = useMemo(() => distinct(data?.pages ?? []), [data])
  const rows = useMemo(() => all.filter(createFilter({ show, client, q })), [all, show, client, q])
  const amounts = useMemo(() => countAll(all), [all])
  useOpenTurns(all)
  return {
    rows,
    amounts,
    hasMore: hasNextPage,
    /** How many were read so far, whether they are shown or not. */
    read: all.length,
    readMore() {
      if (hasNextPage && !isFetching) void fetchNextPage()
    },
  }
}

/** A conversation that was written to while pages were read may stand in two of them. */
function distinct(pages: readonly { readonly conversations: readonly ListedConversation[] }[]) {
  const seen = new Set<string>()
  const all = pages.flatMap(page => page.conversations)
  return all.filter(({ conversation: name }) => !seen.has(name) && seen.add(name))
}

/** Polls conversations with an open turn: a turn whose writer died becomes interrupted without a write. */
function useOpenTurns(all: readonly ListedConversation[]): void {
  const open = all.filter(({ latest }) => latest?.status.state === 'open').slice(0, 8)
  const names = JSON.stringify(open.map(one => one.conversation))
  useEffect(() => {
    const conversations = JSON.parse(names) as string[]
    if (conversations.length === 0) return
    const timer = setInterval(() => void refreshConversations(conversations), 10_000)
    return () => clearInterval(timer)
  }, [names])
}

interface Kind {
  readonly show: string
  readonly name: string
  readonly has: (one: ListedConversation) => boolean
}

/** The kinds of conversations that can be picked out, with their names in the address. */
const kinds: readonly Kind[] = [
  { show: 'live', name: 'Live', has: one => standingOf(one).status === 'live' },
  { show: 'trouble', name: 'With a warning', has: one => standingOf(one).isTrouble === true },
  {
    show: 'interrupted',
    name: 'Interrupted',
    has: one => ['interrupted', 'stopped'].includes(standingOf(one).status),
  },
  { show: 'experiments', name: 'From experiments', has: one => one.latest?.isExperiment === true },
  { show: 'first', name: 'First messages', has: one => one.provisional === true },
]

/** Whether a conversation is shown: every word must occur in the texts of its row. */
function createFilter({ show, client, q = '' }: ListSearch): (one: ListedConversation) => boolean {
  const kind = kinds.find(one => one.show === show)
  const words = plain(q).split(/\s+/).filter(Boolean)
  return one => {
    if (kind?.has(one) === false || (client !== undefined && clientOf(one).id !== client))
      return false
    if (words.length === 0) return true
    const { conversation, latest } = one
    const { begins, said, call } = latest ?? {}
    const texts = [titleOf(one), conversation, begins, said?.text, call?.model, clientOf(one).name]
    const text = plain(texts.join('\n'))
    return words.every(word => text.includes(word))
  }
}

const plain = (text: string) =>
  text
    .normalize('NFKD')
    .replace(/\p{Mn}/gu, '')
    .toLowerCase()

/** How many there are of each kind and of each client: the most frequent first. */
function countAll(rows: readonly ListedConversation[]) {
  const byKind = kinds.map(({ show, name, has }) => ({
    show,
    name,
    amount: rows.filter(has).length,
  }))
  const clients = [...groupBy(rows.map(clientOf), ({ id }) => id).values()]
    .map(same => ({ ...same[0]!, amount: same.length }))
    .sort((a, b) => b.amount - a.amount)
  return { byKind, clients }
}

interface RowStanding {
  readonly status: MarkName
  /** What is wrong or going on, for people; absent if nothing is. */
  readonly text?: string
  readonly isTrouble?: boolean
}

/** A turn that is open comes before what went wrong earlier; a failure before a warning. */
export function standingOf({ latest }: ListedConversation): RowStanding {
  if (!latest) return { status: 'failed', text: 'Its log could not be read', isTrouble: true }
  const { status, call, owed } = latest
  if (status.state === 'open') return { status: 'live', text: 'Answering' }
  if (call?.status === 'failed')
    return { status: 'failed', text: endWords('failed', call.error, call.model), isTrouble: true }
  if (status.state === 'interrupted' && owed !== undefined)
    return { status: 'paused', text: `Waiting: the client owes ${owedWords(owed)}` }
  if (status.state === 'interrupted')
    return {
      status: 'interrupted',
      text: 'Interrupted: the process that was answering has stopped',
    }
  if (call?.status === 'interrupted')
    return { status: 'interrupted', text: 'The last answer was interrupted' }
  if (call?.status === 'cancelled')
    return { status: 'stopped', text: 'The last answer was cancelled' }
  const [warning] = call?.warnings ?? []
  if (warning !== undefined)
    return { status: 'warning', text: warningText(warning, call!), isTrouble: true }
  return { status: 'idle' }
}
