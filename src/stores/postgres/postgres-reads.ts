import { nameOf } from '../rules/refusals.ts'
import type { EntryRange, Found, Head, Store, StoredEntry, ThreadKey, ThreadPlace } from '../store.ts'
import { CorruptEntryError, NoConversationError } from '../store-error.ts'
import { hasWords, payloadTexts, snippet, toWanted, words } from '../words.ts'
import type { Row } from './database.ts'
import { cutPage, type PostgresContext } from './postgres-context.ts'
import { keyOf, threadOf, toEntry, toTurn } from './rows.ts'
import { hashWord, isCommon } from './word-hashes.ts'
import { maxWaiting, type WordIndexer } from './word-indexer.ts'

export function postgresReads(context: PostgresContext, indexer: WordIndexer) {
  const { database, schema, isIndexed } = context
  const isThread = 'b.key = $1 and b.actor = $2 and b.branch = $3'

  return {
    async head(thread) {
      const [row] = await database.read(
        `select b.head, b.turns as count, b.fork_of as "forkOf", b.fork_at as "forkAt", b.lease_owner as owner,
          b.epoch, ${schema}.held_ms(b, ${schema}.now_ms()) as "heldMs",
          b.open_turn as turn, t.status, t.first, b.head as last, t.started_at as "startedAt",
          t.ended_at as "endedAt", t.error, t.idempotency_key as key, t.body
        from ${schema}.branches b left join ${schema}.turns t
          on t.key = b.key and t.line = b.line and t.turn = b.open_turn
        where ${isThread}`,
        keyOf(thread),
      )
      return row && toHead(row)
    },
    entries: (thread, range = {}) => readEntries(context, thread, range),
    async turns(thread) {
      const rows = await database.read(
        `select t.turn, t.status, t.first, t.last, t.started_at as "startedAt", t.ended_at as "endedAt", t.error,
          t.idempotency_key as key, t.body
        from ${schema}.branches b cross join lateral ${schema}.turns_of(b) t where ${isThread} order by t.turn`,
        keyOf(thread),
      )
      return rows.map(toTurn)
    },
    /**
     * The index has hashes of words, and no common words: so the text of each candidate is looked at. Entries that are not
     * indexed yet are candidates too: nothing is missed.
     */
    async search(tenant, query, { limit = 20, person = null, conversation = null } = {}) {
      const wanted = toWanted(query)
      if (wanted.length === 0) return []
      const rare = isIndexed ? wanted.filter(word => !isCommon(word)) : []
      const hashes = rare.length > 0 ? [rare.map(word => hashWord(tenant, word))] : []
      const isRead = hashes.length === 0
      const waiting = isRead ? 0 : await indexer.catchUp(tenant)
      const sql = isRead
        ? hitsSql(schema, `select key, line, seq, time from ${schema}.entries`, 2_000)
        : hitsSql(schema, indexedSql(schema), waiting > 0 ? maxWaiting : 50)
      const found: Found[] = []
      let last: Row | undefined
      do {
        const before = last ? [last.time, last.conversation, last.line, last.seq] : [null, null, null, null]
        const rows = await database.read(sql, [tenant, ...before, person, conversation, ...hashes])
        for (const row of rows) if (hasWords(String(row.payload), wanted)) found.push(toFound(row, wanted))
        last = rows.at(-1)
      } while (last && found.length < limit)
      return found.slice(0, limit)
    },
    async findWords(tenant, wanted, { person, limit = 64 }) {
      const found = wanted.map((): ThreadPlace[] => [])
      if (!isIndexed) return found
      const isWaiting = (await indexer.catchUp(tenant)) > 0
      for (const row of isWaiting
        ? await database.read(waitingSql(schema), [tenant, person, maxWaiting])
        : []) {
        const has = words(payloadTexts(String(row.payload)))
        for (const [number, forms] of wanted.entries())
          if (forms.some(form => has.has(form))) found[number]!.push(placeOf(row))
      }
      // In JSON: a list of lists of different lengths is no array of PostgreSQL.
      const hashes = wanted.map(forms =>
        forms.filter(form => !isCommon(form)).map(form => hashWord(tenant, form)),
      )
      for (const row of await database.read(wordsSql(schema), [
        tenant,
        person,
        JSON.stringify(hashes),
        limit,
      ]))
        found[Number(row.number) - 1]!.push(placeOf(row))
      return found.map(places => places.slice(0, limit))
    },
  } satisfies Partial<Store>
}

function toHead(row: Row): Head {
  const open = () => ({
    ...toTurn(row),
    lease: { owner: String(row.owner), epoch: Number(row.epoch) },
    expiresInMs: Number(row.heldMs),
  })
  return {
    head: Number(row.head),
    turns: Number(row.count),
    ...(row.turn === null ? {} : { open: open() }),
    ...(row.forkOf === null ? {} : { forkOf: { branch: String(row.forkOf), at: Number(row.forkAt) } }),
  }
}

const pageRows = 500
const maxPlace = 2_147_483_646

/** Reads entries page by page, without a cursor, as a cursor lives in a session. Stored entries never change. */
async function* readEntries(
  { database, schema }: PostgresContext,
  thread: ThreadKey,
  { from = 1, to = maxPlace, reverse = false, limit = Number.POSITIVE_INFINITY }: EntryRange,
): AsyncIterable<StoredEntry> {
  const sql = pageSql(schema, reverse ? 'desc' : 'asc')
  let [low, high] = [Math.max(1, from), Math.min(maxPlace, Math.max(0, to))]
  let isFirst = true
  for (let left = limit; left > 0 && low <= high; ) {
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

/** Each line of the shared past is read for at most a page: the cost does not grow with the history. */
const pageSql = (schema: string, order: string) =>
  cutPage(
    `select b.head, p.* from ${schema}.branches b cross join lateral ${schema}.lines_of(b) l
    cross join lateral (
      select e.seq, e.turn, e.role, e.id, e.time, e.checksum, e.tokens, e.payload from ${schema}.entries e
      where e.key = b.key and e.line = l.line
        and e.seq between greatest(l.first, $4::integer) and least(l.last, $5::integer)
      order by e.seq ${order} limit $6::integer
    ) p
    where b.key = $1 and b.actor = $2 and b.branch = $3
    order by p.seq ${order} limit $6::integer`,
    `seq ${order}`,
  )

/** Entries whose words are indexed, and those that wait for it. */
const indexedSql = (schema: string) => `
  select key, line, seq, time from ${schema}.words where words @> $8::integer[]
  union select e.key, e.line, e.seq, e.time from ${schema}.branches b
    join ${schema}.conversations c on c.key = b.key
    join ${schema}.entries e on e.key = b.key and e.line = b.line and e.seq > b.waiting_after
    where c.tenant = $1 and b.waiting_after is not null`

const placeOf = (row: Row): ThreadPlace => ({ thread: threadOf(row), seq: Number(row.seq) })

/** The newest entries of a person that are not indexed yet. */
const waitingSql = (schema: string) => `
  select c.tenant, c.conversation, b.actor, b.branch, e.seq, e.payload from ${schema}.conversations c
  join ${schema}.branches b on b.key = c.key and b.waiting_after is not null
  join ${schema}.entries e on e.key = b.key and e.line = b.line and e.seq > b.waiting_after
  where c.tenant = $1 and c.person = $2 order by e.time desc limit $3`

/** For each word the newest entries of a person that have it. */
const wordsSql = (schema: string) => `
  select w.number, p.* from jsonb_array_elements($3::jsonb) with ordinality as w (forms, number) cross join lateral (
    select c.tenant, c.conversation, b.actor, b.branch, h.seq from ${schema}.words h
    join ${schema}.conversations c on c.key = h.key
    join ${schema}.branches b on b.key = h.key and b.line = h.line
    where h.words && array(select form::integer from jsonb_array_elements_text(w.forms) as form) and c.tenant = $1 and c.person = $2
    order by h.time desc, c.conversation desc, h.line desc, h.seq desc limit $4
  ) p order by w.number`

/**
 * The page of candidates after the last one of the previous page, in an order without ties. Texts are read only for the
 * page.
 */
const hitsSql = (schema: string, candidates: string, limit: number) =>
  cutPage(
    `select p.tenant, p.conversation, b.actor, b.branch, e.line, e.seq, e.role, e.time, e.payload, e.turn, e.id, e.tokens,
      e.checksum
    from (
      select c.tenant, c.conversation, h.* from (${candidates}) h join ${schema}.conversations c on c.key = h.key
      where c.tenant = $1 and ($6::text is null or c.person = $6)
        and ($7::text is null or c.conversation = $7)
        and ($2::double precision is null
          or (h.time, c.conversation, h.line, h.seq) < ($2, $3::text, $4::integer, $5::integer))
      order by h.time desc, c.conversation desc, h.line desc, h.seq desc limit ${limit}
    ) p join ${schema}.entries e on e.key = p.key and e.line = p.line and e.seq = p.seq
      join ${schema}.branches b on b.key = p.key and b.line = p.line`,
    'time desc, conversation desc, line desc, seq desc',
  )

function toFound(row: Row, wanted: readonly string[]): Found {
  const thread = threadOf(row)
  const { seq, role, time, payload } = toEntry(thread, row)
  return { thread, seq, role, time, snippet: snippet(payload, wanted) }
}
