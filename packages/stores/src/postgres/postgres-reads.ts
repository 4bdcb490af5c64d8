import { maxPlace } from '../check-input.ts'
import { remainingMs } from '../rules/lease-time.ts'
import type {
  EntryRange,
  Head,
  Store,
  StoredEntry,
  ThreadKey,
  ThreadPlace,
  WordPlace,
} from '../store.ts'
import { CorruptEntryError, NoConversationError, nameOf } from '../store-error.ts'
import { payloadTexts, words } from '../words.ts'
import type { Row } from './database.ts'
import { cutPage, maxPageBytes, ofWhom, type PostgresContext } from './postgres-context.ts'
import { conversationKey, keyOf, threadOf, toEntry, toTurn } from './rows.ts'
import { isBranch, linesOf, now, turnColumns } from './schema/fragments.ts'
import { findSpreadWords } from './spread-reads.ts'
import { hashWord, isCommon } from './word-hashes.ts'
import { maxWaiting, type WordIndexer } from './word-indexer.ts'

export function postgresReads(context: PostgresContext, indexer: WordIndexer) {
  const { database, schema, isIndexed } = context

  return {
    async head(thread) {
      const [row] = await database.read(
        `select b.head, b.turns as count, b.fork_of as "forkOf", b.fork_at as "forkAt", b.lease_owner as owner,
          b.epoch, b.lease_until as until, b.lease_ms as ms, ${now} as now, b.head as last, b.open_turn as open,
          ${turnColumns}, t.idempotency_key as key, t.body
        from ${schema}.branches b left join ${schema}.turns t
          on t.key = b.key and t.line = b.line and t.turn = b.open_turn
        where ${isBranch}`,
        keyOf(thread),
      )
      return row && toHead(row)
    },
    entries: entryReader(context),
    async turns(thread) {
      const rows = await database.read(
        // The shared past brings its turns, cut where it ends, without their idempotency keys.
        `select ${turnColumns}, least(coalesce(t.last, b.head), l.last) as last,
          case when t.line = b.line then t.idempotency_key end as key, case when t.line = b.line then t.body end as body
        from ${schema}.branches b cross join ${linesOf}
          join ${schema}.turns t on t.key = b.key and t.line = l.line and (t.line = b.line or t.first <= l.last)
        where ${isBranch} order by t.turn`,
        keyOf(thread),
      )
      return rows.map(toTurn)
    },
    /** Entries not indexed yet are read; without an index, and where all words are common, all are. */
    async findWords(
      tenant,
      wanted,
      { person = null, conversation = null, limit = 64, times = false } = {},
    ) {
      const hits = wanted.map((): WordPlace[] => [])
      const scope = [tenant, person, conversation]
      // In JSON: a list of lists of different lengths is no array of PostgreSQL.
      const hashes = wanted.map(forms =>
        forms.filter(form => !isCommon(form)).map(form => hashWord(tenant, form)),
      )
      const isRead = !isIndexed || hashes.every(({ length }) => length === 0)
      const isWaiting = isRead || (await indexer.catchUp(tenant)) > 0
      const pages = isWaiting ? readPages(context, scope, isRead) : []
      for await (const { payload, ...row } of pages) {
        const has = words(payloadTexts(String(payload)))
        const place = { ...placeOf(row), ...(times && { time: Number(row.time) }) }
        for (const [number, forms] of wanted.entries())
          if (forms.some(form => has.has(form))) hits[number]!.push(place)
        if (hits.every(({ length }) => length >= limit)) break
      }
      if (!isRead && context.isDistributed) {
        const found = await findSpreadWords(context, scope, hashes, limit)
        for (const [number, rows] of found.entries())
          for (const row of rows)
            hits[number]!.push({ ...placeOf(row), ...(times && { time: Number(row.time) }) })
      } else if (!isRead) {
        const key = conversation === null ? null : conversationKey({ tenant, conversation })
        const sql = wordsSql(schema, hashes.length, person !== null, key !== null, times)
        const values = [...scope, JSON.stringify(hashes), limit, ...(key === null ? [] : [key])]
        for (const row of await database.read(sql, values)) {
          const thread = threadOf(row)
          const timesOf = times ? numbersOf(row.times) : undefined
          for (const [at, place] of numbersOf(row.places).entries()) {
            const number = place % hashes.length
            const seq = (place - number) / hashes.length
            hits[number]!.push(timesOf ? { thread, seq, time: timesOf[at]! } : { thread, seq })
          }
        }
      }
      return hits.map(places => (isWaiting ? withoutTwins(places) : places).slice(0, limit))
    },
  } satisfies Partial<Store>
}

function toHead(row: Row): Head {
  const open = () => ({
    ...toTurn(row),
    lease: { owner: String(row.owner), epoch: Number(row.epoch) },
    expiresInMs: remainingMs({ until: Number(row.until), ms: Number(row.ms) }, Number(row.now)),
  })
  return {
    head: Number(row.head),
    turns: Number(row.count),
    ...(row.open === null ? {} : { open: open() }),
    ...(row.forkOf === null
      ? {}
      : { forkOf: { branch: String(row.forkOf), at: Number(row.forkAt) } }),
  }
}

/** An entry may wait and be indexed, where a process died between the two. */
const withoutTwins = (places: readonly WordPlace[]): readonly WordPlace[] => [
  ...new Map(places.map(place => [`${nameOf(place.thread)} ${place.seq}`, place])).values(),
]

/** The numbers of an array of PostgreSQL, as text. */
const numbersOf = (array: unknown) => JSON.parse(`[${String(array).slice(1, -1)}]`) as number[]

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

/**
 * For each word the newest entries that have it, by thread: the places, times the number of words, plus the number of the word.
 * A row for each place would cost more than to find it. Hashes differ by tenant, so that only a person or a conversation
 * must be told apart before the limit. In the order of keys, as equal messages are ranked in the order of their threads.
 * The number of words stands in the text: PostgreSQL expects 100 elements of any list, and would compile a plan that looks dear.
 */
const wordsSql = (
  schema: string,
  words: number,
  isOfPerson: boolean,
  isOfConversation: boolean,
  isTimed: boolean,
) => `
  select c.tenant, c.conversation, b.actor, b.branch, t.places ${isTimed ? ', t.times' : ''} from (
    select p.key, p.line, array_agg(p.seq::bigint * ${words} + number)::text as places
      ${isTimed ? ', array_agg(p.time)::text as times' : ''}
    from generate_series(0, ${words - 1}) as number cross join lateral (
      select h.key, h.line, h.seq ${isTimed ? ', h.time' : ''} from ${schema}.words h
      ${isOfPerson ? `join ${schema}.conversations c on c.key = h.key and ${ofWhom}` : ''}
      where h.words && array(select form::integer from jsonb_array_elements_text($4::jsonb -> number) as form)
        ${isOfConversation ? 'and h.key = $6::uuid' : ''}
      order by h.time desc, h.key desc, h.line desc, h.seq desc limit $5
    ) p group by p.key, p.line
  ) t join ${schema}.branches b on b.key = t.key and b.line = t.line
    join ${schema}.conversations c on c.key = t.key
  where ${ofWhom} order by b.key, b.line`

const pageRows = 500

/** Reads entries page by page, without a cursor, as a cursor lives in a session. Stored entries never change. */
function entryReader(context: PostgresContext) {
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

const maxPages = 32

/** Reads pages. Those that are asked for at once, as by a search, are read by one statement. */
function pageReader(context: PostgresContext) {
  const { database, schema } = context
  const queues = { asc: [] as WaitingPage[], desc: [] as WaitingPage[] }

  async function flush(order: keyof typeof queues): Promise<void> {
    const { isDistributed } = context
    const pages = queues[order].splice(0, isDistributed ? 1 : maxPages)
    if (queues[order].length > 0) queueMicrotask(() => flush(order))
    try {
      const { page } = pages[0]!
      const columns = isDistributed
        ? page
        : page.map((_, column) => pages.map(({ page }) => page[column]))
      const rowsOfPages = pages.map((): Row[] => [])
      for (const row of await database.readPrepared(pageSql(schema, order, isDistributed), columns))
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

const manyPages = `unnest($1::uuid[], $2::text[], $3::text[], $4::integer[], $5::integer[], $6::integer[])
  with ordinality`

/** Spread tables give a page of one conversation, which one machine has. */
const onePage = '(values ($1::uuid, $2::text, $3::text, $4::integer, $5::integer, $6::integer, 1))'

/** A page at most of each line of the past: the cost does not grow with it. Long pages are cut. */
const pageSql = (schema: string, order: string, isDistributed: boolean) => `
  select * from (
    select e.*, row_number() over (partition by page order by seq ${order}) as place,
      sum(octet_length(payload)) over (order by page, seq ${order}) - octet_length(payload) as before
    from (
      select r.page, b.head, p.*
      from ${isDistributed ? onePage : manyPages} r (key, actor, branch, low, high, rows, page)
      join ${schema}.branches b on b.key = ${isDistributed ? '$1' : 'r.key'} and b.actor = r.actor and b.branch = r.branch
      cross join lateral (
        select e.seq, e.turn, e.role, e.id, e.time, e.checksum, e.tokens, e.payload
        from ${linesOf} cross join lateral (
          select * from ${schema}.entries e
          where e.key = ${isDistributed ? '$1' : 'b.key'} and e.line = l.line
            and e.seq between greatest(l.first, r.low) and least(l.last, r.high)
          order by e.seq ${order} limit r.rows
        ) e
        order by e.seq ${order} limit r.rows
      ) p
    ) e
  ) e where place = 1 or before < ${maxPageBytes} order by page, seq ${order}`
