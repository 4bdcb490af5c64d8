import { useQueries } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type AnswerOf, readQuery } from '../api/client.ts'
import { logQuery, type ThreadAddress } from '../api/queries.ts'
import { type AnyMessage, messageText } from './message-text.ts'

export type LogEntry = AnswerOf<'get /conversations/:conversation/log'>['entries'][number]

const perPage = 200

/** A page of the log. Entries never change, so that no event makes it stale. */
function pageQuery(thread: ThreadAddress, page: number, head: number) {
  const at = Math.min((page + 1) * perPage, head)
  const first = page * perPage + 1
  const { conversation, actor = '', branch = '' } = thread
  return {
    ...logQuery(thread, { at, limit: at - first + 1 }),
    queryKey: ['texts', conversation, actor, branch, first, at],
  }
}

/** The text of each entry, beside all that is logged of it. */
const toTexts = ({ entries }: AnswerOf<'get /conversations/:conversation/log'>) =>
  new Map(entries.map(entry => [entry.seq, { entry, text: textOf(entry) }]))

/** An entry that only says what a person did with another one says so. */
const textOf = ({ message, hands = [] }: LogEntry) =>
  messageText(message as AnyMessage) ||
  hands.map(({ does, seq }) => `${handWords[does]} #${seq}`).join(', ')

const handWords = {
  pin: 'pinned',
  hide: 'hid',
  free: 'took back what was done with',
  erase: 'erased',
} as const

/** The texts of some entries, by pages. What is not there yet is undefined. */
export function useTexts(thread: ThreadAddress, seqs: readonly number[], head: number) {
  const pages = useMemo(() => {
    const wanted = new Set(
      seqs.filter(seq => seq >= 1 && seq <= head).map(seq => Math.floor((seq - 1) / perPage)),
    )
    return [...wanted].sort((a, b) => a - b)
  }, [seqs, head])
  const pageTexts = useQueries({
    queries: pages.map(page => ({ ...pageQuery(thread, page, head), select: toTexts })),
    combine: results => results.map(({ data }) => data),
  })
  return (seq: number) => pageTexts[pages.indexOf(Math.floor((seq - 1) / perPage))]?.get(seq)
}

/** Reads the texts of a whole thread, page by page, newest first: for finding. */
export async function* allTexts(thread: ThreadAddress, head: number) {
  for (let page = Math.ceil(head / perPage) - 1; page >= 0; page--)
    yield toTexts(await readQuery(pageQuery(thread, page, head)))
}
