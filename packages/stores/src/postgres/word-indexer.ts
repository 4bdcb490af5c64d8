import { randomUUID } from 'node:crypto'
import { setImmediate as breathe } from 'node:timers/promises'
import type { Row } from './database.ts'
import { cutPage, type PostgresContext } from './postgres-context.ts'
import { wordHashes } from './word-hashes.ts'

/** Indexes words apart from the writes; until then search reads what waits. Instances may index at once. */
export type WordIndexer = ReturnType<typeof wordIndexer>

/** Words are indexed after a pause without writes, or after `mostPauses` of them: a busy server is never idle. */
const pauseMs = 1_000
const mostPauses = 5
/** After this many batches others have a chance, for a pause. */
const maxBatches = 16
/** The most waiting entries that search reads itself. */
export const maxWaiting = 500

export function wordIndexer(context: PostgresContext) {
  let timer: NodeJS.Timeout | undefined
  let running: Promise<void> | undefined
  let pauses = 0
  let isAsked = false
  let isClosed = false

  /** There may be entries that wait: they are indexed soon, in the background. */
  function wake(): void {
    isAsked = true
    if (timer || running || isClosed || !context.isIndexed) return
    isAsked = false
    pauses += 1
    timer = setTimeout(() => {
      timer = undefined
      if (isAsked && pauses < mostPauses) wake()
      else start()
    }, pauseMs)
    timer.unref()
  }

  function start(): void {
    pauses = 0
    isAsked = false
    // A failure loses nothing: entries go on waiting, and the next write or search asks again.
    running = indexWaiting(context, () => isClosed)
      .catch(() => true)
      .then(isDone => {
        running = undefined
        if (!isDone || isAsked) wake()
      })
  }

  return {
    wake,
    /** Indexes a tenant's entries but the last few hundred, sooner read. Returns how many wait at most. */
    async catchUp(tenant: string): Promise<number> {
      const waiting = await countWaiting(context, tenant)
      if (waiting > 0) wake()
      const batches = Math.ceil((waiting - maxWaiting) / batchEntries)
      try {
        for (let n = 0; n < batches && !isClosed; n++) await indexBatch(context, { tenant })
      } catch {
        // Where nothing can be written, as on a replica, search reads all that waits.
      }
      return waiting
    },
    /** Ends the work in the background; what waits goes on waiting. */
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      await running
    },
  }
}

/** Indexes until nothing waits, and returns true; false if it stops before that. */
export async function indexWaiting(
  context: PostgresContext,
  isStopped = () => false,
): Promise<boolean> {
  // Each instance begins at a place of its own, so that two of them rarely do the same work.
  let from = randomUUID() as string
  for (let n = 0; n < maxBatches && !isStopped(); n++) {
    const { entries, isAlone } = await indexBatch(context, { from })
    if (!isAlone) return false
    if (entries > 0) continue
    if (from === firstKey) return true
    from = firstKey
  }
  return false
}

const firstKey = '00000000-0000-0000-0000-000000000000'
const batchEntries = 256

/**
 * Indexes a batch. First the words are written, then the branches say so: a process that dies between the two leaves entries
 * that wait, and the next one that does the work finds the words there. Each is a transaction of its own, so that an append is
 * never held up while words are written. `isAlone` is false where another process was faster.
 */
async function indexBatch(
  context: PostgresContext,
  { from = firstKey, tenant }: { readonly from?: string; readonly tenant?: string },
): Promise<{ readonly entries: number; readonly isAlone: boolean }> {
  const { database, schema, isDistributed } = context
  const rows = await database.read(waitingSql(schema), [from, tenant ?? null])
  const wordRows: Row[] = []
  const branches = new Map<string, Row>()
  let characters = 0
  for (const { key, line, seq, time, after, payload, tenant } of rows) {
    const words = wordHashes(String(tenant), String(payload))
    if (words) wordRows.push({ key, line, seq, time, words })
    branches.set(`${key} ${line}`, { key, line, after, upto: seq })
    // Long texts take long, and there may be requests to answer.
    characters += String(payload).length
    if (characters > 20_000) {
      await breathe()
      characters = 0
    }
  }
  const moved = [...branches.values()]
  if (wordRows.length > 0) await putWords(context, wordRows)
  let done = 0
  for (const [key, some] of batchesOf(context, moved)) {
    const values = [JSON.stringify(some), ...(isDistributed ? [key] : [])]
    done += (await database.write(moveSql(schema, isDistributed), values)).length
  }
  return { entries: rows.length, isAlone: done === moved.length }
}

/** Writes the words of entries, except those that are there. Rows have `key`, `line`, `seq`, `time` and `words`. */
export async function putWords(context: PostgresContext, rows: readonly Row[]): Promise<void> {
  const { database, schema, isDistributed } = context
  for (const [key, some] of batchesOf(context, rows)) {
    const keys = isDistributed ? key : [...new Set(some.map(({ key }) => key))]
    await database.write(putSql(schema, isDistributed), [keys, JSON.stringify(some)])
  }
}

/** All at once; where tables are spread over machines, the rows of each conversation by themselves. */
function batchesOf({ isDistributed }: PostgresContext, rows: readonly Row[]) {
  const batches = new Map<unknown, Row[]>()
  for (const row of rows) {
    const key = isDistributed ? row.key : undefined
    batches.set(key, batches.get(key) ?? [])
    batches.get(key)!.push(row)
  }
  return batches
}

/** A branch whose entries are gone (check() says so) must not block other branches: it counts as one empty entry. */
const waitingSql = (schema: string) =>
  cutPage(
    `select b.key, b.line, c.tenant, b.waiting_after as after, coalesce(e.seq, b.head) as seq, e.time,
      coalesce(e.payload, '') as payload
    from ${schema}.branches b join ${schema}.conversations c on c.key = b.key
      left join ${schema}.entries e on e.key = b.key and e.line = b.line
        and e.seq between b.waiting_after + 1 and b.waiting_after + ${batchEntries}
    where b.waiting_after is not null and b.key >= $1::uuid and ($2::text is null or c.tenant = $2)
    order by b.key, b.line, e.seq limit ${batchEntries}`,
    'key, line, seq',
  )

/** The lock keeps a conversation from being deleted meanwhile, and does not hold up its turns. All lock in one order. */
const putSql = (schema: string, isDistributed: boolean) => `
  with c as (
    select key from ${schema}.conversations where key ${isDistributed ? '= $1::uuid' : '= any($1::uuid[])'} and deleted_at is null
      order by key for key share
  )
  insert into ${schema}.words (time, key, line, seq, words)
    select w.time, w.key, w.line, w.seq, w.words
    from json_to_recordset($2) w (time double precision, key uuid, line integer, seq integer, words integer[])
      join c on c.key = w.key
    order by w.key, w.line, w.seq
  on conflict do nothing`

/** Only from where they were: another instance may have moved them on. */
const moveSql = (schema: string, isDistributed: boolean) => `
  with m as (
    select b.key, b.actor, b.branch, m.upto
    from json_to_recordset($1) m (key uuid, line integer, after integer, upto integer)
      join ${schema}.branches b on b.key = m.key and b.line = m.line and b.waiting_after = m.after
      ${isDistributed ? 'and b.key = $2::uuid' : ''}
    order by b.key, b.actor, b.branch for no key update of b
  )
  update ${schema}.branches b set waiting_after = case when b.head > m.upto then m.upto end
  from m where ${isDistributed ? 'b.key = $2::uuid and ' : ''}b.key = m.key and b.actor = m.actor and b.branch = m.branch
  returning 1`

/** A line has no gaps, so its places count its entries. */
async function countWaiting(
  { database, schema }: PostgresContext,
  tenant: string,
): Promise<number> {
  const [row] = await database.read(
    `select coalesce(sum(b.head - b.waiting_after), 0) as count
    from ${schema}.branches b join ${schema}.conversations c on c.key = b.key
    where b.waiting_after is not null and c.tenant = $1`,
    [tenant],
  )
  return Number(row!.count)
}
