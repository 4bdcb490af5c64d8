import { nameOf } from '../rules/refusals.ts'
import type { EntryRange, Head, Store, StoredEntry, ThreadKey, ThreadPlace } from '../store.ts'
import { CorruptEntryError, NoConversationError } from '../store-error.ts'
import { payloadTexts, words } from '../words.ts'
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
     * The index has hashes of words, and no common words. Entries that are not indexed yet are read: nothing is missed. Without
     * an index, and where every word is common, all entries are.
     */
    async findWords(tenant, wanted, { person = null, conversation = null, limit = 64 } = {}) {
      const found = wanted.map((): ThreadPlace[] => [])
      const whose = [tenant, person, conversation]
      // In JSON: a list of lists of different lengths is no array of PostgreSQL.
      const hashes = wanted.map(forms =>
        forms.filter(form => !isCommon(form)).map(form => hashWord(tenant, form)),
      )
      const isRead = !isIndexed || hashes.every(({ length }) => length === 0)
      const isWaiting = isRead || (await indexer.catchUp(tenant)) > 0
      const pages = isWaiting ? readPages(context, whose, isRead) : []
      for await (const { payload, ...row } of pages) {
        const has = words(payloadTexts(String(payload)))
        const place = placeOf(row)
        for (const [number, forms] of wanted.entries())
          if (forms.some(form => has.has(form))) found[number]!.push(place)
        if (found.every(({ length }) => length >= limit)) break
      }
      if (!isRead) {
        const threads = new Map<string, ThreadKey>()
        for (const row of await database.read(wordsSql(schema), [...whose, JSON.stringify(hashes), limit])) {
          const name = `${row.key} ${row.line}`
          const thread = threads.get(name) ?? threadOf(row)
          threads.set(name, thread)
          for (const [number, seqs] of Object.entries(row.places as Record<string, number[]>))
            for (const seq of seqs) found[Number(number) - 1]!.push({ thread, seq })
        }
      }
      return found.map(places => (isWaiting ? withoutTwins(places) : places).slice(0, limit))
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

/** An entry may wait and be indexed, where a process died between the two. */
const withoutTwins = (places: readonly ThreadPlace[]): readonly ThreadPlace[] => [
  ...new Map(places.map(place => [`${nameOf(place.thread)} ${place.seq}`, place])).values(),
]

const placeOf = (row: Row): ThreadPlace => ({ thread: threadOf(row), seq: Number(row.seq) })

/** Entries with their texts, newest first: all of them, or those that wait for the index. */
async function* readPages(
  { database, schema }: PostgresContext,
  whose: readonly (string | null)[],
  isAll: boolean,
): AsyncIterable<Row> {
  let last: Row | undefined
  do {
    const before = last ? [last.time, last.key, last.line, last.seq] : [null, null, null, null]
    const rows = await database.read(entriesSql(schema, isAll), [...whose, ...before])
    yield* rows
    last = rows.at(-1)
  } while (last)
}

const entriesSql = (schema: string, isAll: boolean) =>
  cutPage(
    `select c.tenant, c.conversation, b.actor, b.branch, e.key, e.line, e.seq, e.time, e.payload from ${schema}.conversations c
    join ${schema}.branches b on b.key = c.key ${isAll ? '' : 'and b.waiting_after is not null'}
    join ${schema}.entries e on e.key = b.key and e.line = b.line ${isAll ? '' : 'and e.seq > b.waiting_after'}
    where ${ofWhom} and ($4::double precision is null
      or (e.time, e.key, e.line, e.seq) < ($4, $5::uuid, $6::integer, $7::integer))
    order by e.time desc, e.key desc, e.line desc, e.seq desc limit ${maxWaiting}`,
    'time desc, key desc, line desc, seq desc',
  )

const ofWhom =
  'c.tenant = $1 and ($2::text is null or c.person = $2) and ($3::text is null or c.conversation = $3)'

/** For each word the newest entries that have it, by thread. A row for each place would cost more than to find it. */
const wordsSql = (schema: string) => `
  select c.tenant, c.conversation, b.actor, b.branch, b.key, b.line, t.places from (
    select f.key, f.line, jsonb_object_agg(f.number, f.seqs) as places from (
      select p.key, p.line, w.number, array_agg(p.seq) as seqs
      from jsonb_array_elements($4::jsonb) with ordinality as w (forms, number) cross join lateral (
        select h.key, h.line, h.seq from ${schema}.words h join ${schema}.conversations c on c.key = h.key
        where h.words && array(select form::integer from jsonb_array_elements_text(w.forms) as form) and ${ofWhom}
        order by h.time desc, h.key desc, h.line desc, h.seq desc limit $5
      ) p group by p.key, p.line, w.number
    ) f group by f.key, f.line
  ) t join ${schema}.branches b on b.key = t.key and b.line = t.line join ${schema}.conversations c on c.key = t.key`
