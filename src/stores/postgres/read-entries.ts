import { nameOf } from '../refusals.ts'
import type { EntryRange, StoredEntry, ThreadKey } from '../store.ts'
import { CorruptEntryError, NoConversationError } from '../store-error.ts'
import type { Database } from './database.ts'
import { keyOf, toEntry } from './read-rows.ts'

/** A page ends at either limit: one entry can have megabytes. */
const pageRows = 500
const pageBytes = 4 * 1024 * 1024

/** Reads entries page by page, without a cursor, as a cursor lives in a session. Stored entries never change. */
export async function* readEntries(
  database: Database,
  schema: string,
  thread: ThreadKey,
  { from = 1, to, reverse = false, limit = Number.POSITIVE_INFINITY }: EntryRange,
): AsyncIterable<StoredEntry> {
  let [low, high] = [Math.max(1, from), Math.min(maxPlace, Math.max(0, to ?? maxPlace))]
  let isFirst = true
  for (let left = limit; left > 0 && low <= high; ) {
    const sql = pageSql(schema, reverse)
    const rows = await database.read(sql, [...keyOf(thread), low, high, Math.min(left, pageRows)])
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

const maxPlace = 2_147_483_646

/** Each line of the shared past is read for at most a page: the cost does not grow with the history. */
const pageSql = (schema: string, reverse: boolean) => {
  const order = reverse ? 'desc' : 'asc'
  return `
    select * from (
      select e.*, sum(octet_length(e.payload)) over (order by e.seq ${order}) - octet_length(e.payload) as before
      from (
        select b.head, p.* from ${schema}.branches b cross join lateral ${schema}.lines_of(b) l
        cross join lateral (
          select e.seq, e.turn, e.role, e.id, e.time, e.checksum, e.tokens, e.payload from ${schema}.entries e
          where e.key = b.key and e.line = l.line
            and e.seq between greatest(l.first, $4::integer) and least(l.last, $5::integer)
          order by e.seq ${order} limit $6::integer
        ) p
        where b.key = $1 and b.actor = $2 and b.branch = $3
        order by p.seq ${order} limit $6::integer
      ) e
    ) e where before < ${pageBytes} order by seq ${order}`
}
