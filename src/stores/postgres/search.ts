import { hasWords, toWanted } from '../has-words.ts'
import { snippet } from '../snippet.ts'
import type { Found, Store } from '../store.ts'
import type { Row } from './database.ts'
import { cutPage, type PostgresContext } from './postgres-context.ts'
import { threadOf, toEntry } from './rows.ts'
import { hashWord, isCommon } from './word-hashes.ts'

/**
 * Finds entries that have all words, newest first. The index has hashes of words, and no common words: so the text of
 * each candidate is looked at.
 */
export const search =
  ({ database, schema, isIndexed }: PostgresContext): Store['search'] =>
  async (tenant, query, { limit = 20 } = {}) => {
    const wanted = toWanted(query)
    if (wanted.length === 0) return []
    const rare = isIndexed ? wanted.filter(word => !isCommon(word)) : []
    const hashes = rare.length > 0 ? [rare.map(word => hashWord(tenant, word))] : []
    const sql = pageSql(schema, hashes.length > 0)
    const found: Found[] = []
    let last: Row | undefined
    do {
      const before = last ? [last.time, last.conversation, last.line, last.seq] : [null, null, null, null]
      const rows = await database.read(sql, [tenant, ...before, ...hashes])
      for (const row of rows) if (hasWords(String(row.payload), wanted)) found.push(toFound(row, wanted))
      last = rows.at(-1)
    } while (last && found.length < limit)
    return found.slice(0, limit)
  }

/** The page after the last hit of the previous page, in an order without ties. */
const pageSql = (schema: string, isIndexed: boolean) =>
  cutPage(
    `select c.tenant, c.conversation, b.actor, b.branch, e.line, e.seq, e.role, e.time, e.payload, e.turn, e.id, e.tokens,
      e.checksum
    from ${schema}.conversations c join ${schema}.entries e on e.key = c.key
      join ${schema}.branches b on b.key = e.key and b.line = e.line
    where c.tenant = $1 ${isIndexed ? 'and e.words @> $6::integer[]' : ''}
      and ($2::double precision is null
        or (e.time, c.conversation, e.line, e.seq) < ($2, $3::text, $4::integer, $5::integer))
    order by e.time desc, c.conversation desc, e.line desc, e.seq desc limit ${isIndexed ? 50 : 2_000}`,
    'time desc, conversation desc, line desc, seq desc',
  )

function toFound(row: Row, wanted: readonly string[]): Found {
  const thread = threadOf(row)
  const { seq, role, time, payload } = toEntry(thread, row)
  return { thread, seq, role, time, snippet: snippet(payload, wanted) }
}
