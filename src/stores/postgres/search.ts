import { checkLimit, checkName } from '../check-input.ts'
import { hasWords, toWanted } from '../has-words.ts'
import { snippet } from '../snippet.ts'
import type { Found } from '../store.ts'
import type { Database } from './database.ts'
import type { Row } from './pg-client.ts'
import { toEntry } from './read-rows.ts'
import { hashWord, isCommon } from './word-hashes.ts'

export interface SearchOptions {
  readonly limit?: number
  /** Whether the index of words has every entry; else every entry of the tenant is read. */
  readonly isIndexed: boolean
}

/**
 * Finds entries that have all words, newest first. The index has hashes of words, and no common words: so the text of
 * each candidate is looked at.
 */
export async function search(
  database: Database,
  schema: string,
  tenant: string,
  query: string,
  { limit = 20, isIndexed }: SearchOptions,
): Promise<readonly Found[]> {
  checkName('tenant', tenant)
  checkLimit(limit)
  const wanted = toWanted(query)
  if (wanted.length === 0) return []
  const rare = isIndexed ? wanted.filter(word => !isCommon(word)) : []
  const hashes = rare.map(word => hashWord(tenant, word))
  const sql = pageSql(schema, hashes.length > 0)
  const found: Found[] = []
  let last: Row | undefined
  do {
    const before = last ? [last.time, last.conversation, last.line, last.seq] : [null, null, null, null]
    const rows = await database.read(sql, [tenant, ...before, ...(hashes.length > 0 ? [hashes] : [])])
    for (const row of rows)
      if (hasWords(String(row.payload), wanted)) found.push(toFound(tenant, row, wanted))
    last = rows.at(-1)
  } while (last && found.length < limit)
  return found.slice(0, limit)
}

/** A page ends at either limit: one payload can have megabytes. */
const pageBytes = 4 * 1024 * 1024
const pageRows = (isIndexed: boolean) => (isIndexed ? 50 : 2_000)

/** The page after the last hit of the previous page, in an order without ties. */
const pageSql = (schema: string, isIndexed: boolean) => {
  const order = 'time desc, conversation desc, line desc, seq desc'
  return `
    select * from (
      select e.*, sum(octet_length(payload)) over (order by ${order}) - octet_length(payload) as before
      from (
        select c.conversation, b.actor, b.branch, e.line, e.seq, e.role, e.time, e.payload, e.turn, e.id, e.tokens, e.checksum
        from ${schema}.conversations c join ${schema}.entries e on e.key = c.key
          join ${schema}.branches b on b.key = e.key and b.line = e.line
        where c.tenant = $1 ${isIndexed ? 'and e.words @> $6::integer[]' : ''}
          and ($2::double precision is null
            or (e.time, c.conversation, e.line, e.seq) < ($2, $3::text, $4::integer, $5::integer))
        order by e.time desc, c.conversation desc, e.line desc, e.seq desc limit ${pageRows(isIndexed)}
      ) e
    ) e where before < ${pageBytes} order by ${order}`
}

function toFound(tenant: string, row: Row, wanted: readonly string[]): Found {
  const [conversation, actor, branch] = [row.conversation, row.actor, row.branch].map(String)
  const thread = { tenant, conversation: conversation!, actor: actor!, branch: branch! }
  const { seq, role, time, payload } = toEntry(thread, row)
  return { thread, seq, role, time, snippet: snippet(payload, wanted) }
}
