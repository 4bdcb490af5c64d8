import { maxPlace } from '../check-input.ts'
import { nameOf } from '../rules/refusals.ts'
import type { EntryRange, StoredEntry, ThreadKey } from '../store.ts'
import { CorruptEntryError, NoConversationError } from '../store-error.ts'
import type { Row } from './database.ts'
import { maxPageBytes, type PostgresContext } from './postgres-context.ts'
import { keyOf, toEntry } from './rows.ts'

const pageRows = 500

/** Reads entries page by page, without a cursor, as a cursor lives in a session. Stored entries never change. */
export function entryReader(context: PostgresContext) {
  const readPage = pageReader(context)
  return async function* (
    thread: ThreadKey,
    { from = 1, to = maxPlace, reverse = false, limit = Number.POSITIVE_INFINITY }: EntryRange = {},
  ): AsyncIterable<StoredEntry> {
    let [low, high] = [Math.max(1, from), Math.min(maxPlace, Math.max(0, to))]
    let isFirst = true
    for (let left = limit; left > 0 && low <= high; ) {
      const rows = await readPage(reverse, [...keyOf(thread), low, high, Math.min(left, pageRows)])
      if (rows.length === 0 && isFirst) return
      if (rows.length === 0) throw new NoConversationError(thread.conversation, true)
      // The head as of the first page: entries appended while reading belong to the next reading.
      high = Math.min(high, Number(rows[0]!.head))
      isFirst = false
      for (const row of rows) {
        const due = reverse ? high : low
        if (row.seq !== due) throw new CorruptEntryError(nameOf(thread), due, 'it is missing')
        yield toEntry(thread, row)
        if (reverse) high -= 1
        else low += 1
      }
      left -= rows.length
    }
  }
}

type PageValues = readonly (string | number)[]

interface WaitingPage {
  readonly page: PageValues
  resolve(rows: readonly Row[]): void
  reject(error: unknown): void
}

/** The most pages of one statement. */
const maxPages = 32

/** Reads pages. Those that are asked for at once, as by a search, are read by one statement. */
function pageReader({ database, schema }: PostgresContext) {
  const queues = { asc: [] as WaitingPage[], desc: [] as WaitingPage[] }

  async function flush(order: keyof typeof queues): Promise<void> {
    const pages = queues[order].splice(0, maxPages)
    if (queues[order].length > 0) queueMicrotask(() => flush(order))
    try {
      const columns = pages[0]!.page.map((_, column) => pages.map(({ page }) => page[column]))
      const rowsOfPages = pages.map((): Row[] => [])
      for (const row of await database.readPrepared(pageSql(schema, order), columns))
        rowsOfPages[Number(row.page) - 1]!.push(row)
      for (const [number, { resolve }] of pages.entries()) resolve(rowsOfPages[number]!)
    } catch (error) {
      for (const { reject } of pages) reject(error)
    }
  }

  return (reverse: boolean, page: PageValues): Promise<readonly Row[]> =>
    new Promise((resolve, reject) => {
      const order = reverse ? 'desc' : 'asc'
      if (queues[order].push({ page, resolve, reject }) === 1) queueMicrotask(() => flush(order))
    })
}

/**
 * Each line of the shared past is read for at most a page: the cost does not grow with the history. Pages are cut where
 * together they have too many bytes; the first entry of each always stays.
 */
const pageSql = (schema: string, order: string) => `
  select * from (
    select e.*, row_number() over (partition by page order by seq ${order}) as place,
      sum(octet_length(payload)) over (order by page, seq ${order}) - octet_length(payload) as before
    from (
      select r.page, b.head, p.*
      from unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::integer[])
        with ordinality r (key, actor, branch, low, high, rows, page)
      join ${schema}.branches b on b.key = r.key and b.actor = r.actor and b.branch = r.branch
      cross join lateral (
        select e.seq, e.turn, e.role, e.id, e.time, e.checksum, e.tokens, e.payload
        from ${schema}.lines_of(b) l cross join lateral (
          select * from ${schema}.entries e
          where e.key = b.key and e.line = l.line
            and e.seq between greatest(l.first, r.low) and least(l.last, r.high)
          order by e.seq ${order} limit r.rows
        ) e
        order by e.seq ${order} limit r.rows
      ) p
    ) e
  ) e where place = 1 or before < ${maxPageBytes} order by page, seq ${order}`
