import { nameOf } from '../rules/refusals.ts'
import type { Head, Store, ThreadPlace, WordPlace } from '../store.ts'
import { payloadTexts, words } from '../words.ts'
import type { Row } from './database.ts'
import { entryReader } from './entry-reader.ts'
import { cutPage, type PostgresContext } from './postgres-context.ts'
import { conversationKey, keyOf, threadOf, toTurn } from './rows.ts'
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
    entries: entryReader(context),
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
    async findWords(tenant, wanted, { person = null, conversation = null, limit = 64, times = false } = {}) {
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
      if (!isRead) {
        const key = conversation === null ? null : conversationKey({ tenant, conversation })
        const sql = wordsSql(schema, person !== null, key !== null, times)
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
    expiresInMs: Number(row.heldMs),
  })
  return {
    head: Number(row.head),
    turns: Number(row.count),
    ...(row.turn === null ? {} : { open: open() }),
    ...(row.forkOf === null ? {} : { forkOf: { branch: String(row.forkOf), at: Number(row.forkAt) } }),
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

const ofWhom =
  'c.tenant = $1 and ($2::text is null or c.person = $2) and ($3::text is null or c.conversation = $3)'

/**
 * For each word the newest entries that have it, by thread: the places, times the number of words, plus the number of the word.
 * A row for each place would cost more than to find it. Hashes differ by tenant, so that only a person or a conversation
 * must be told apart before the limit. In the order of keys, as equal messages are ranked in the order of their threads.
 */
const wordsSql = (schema: string, isOfPerson: boolean, isOfConversation: boolean, isTimed: boolean) => `
  select c.tenant, c.conversation, b.actor, b.branch, t.places ${isTimed ? ', t.times' : ''} from (
    select p.key, p.line, array_agg(p.seq::bigint * jsonb_array_length($4::jsonb) + w.number - 1)::text as places
      ${isTimed ? ', array_agg(p.time)::text as times' : ''}
    from jsonb_array_elements($4::jsonb) with ordinality as w (forms, number) cross join lateral (
      select h.key, h.line, h.seq ${isTimed ? ', h.time' : ''} from ${schema}.words h
      ${isOfPerson ? `join ${schema}.conversations c on c.key = h.key and ${ofWhom}` : ''}
      where h.words && array(select form::integer from jsonb_array_elements_text(w.forms) as form)
        ${isOfConversation ? 'and h.key = $6::uuid' : ''}
      order by h.time desc, h.key desc, h.line desc, h.seq desc limit $5
    ) p group by p.key, p.line
  ) t join ${schema}.branches b on b.key = t.key and b.line = t.line
    join ${schema}.conversations c on c.key = t.key
  where ${ofWhom} order by b.key, b.line`
