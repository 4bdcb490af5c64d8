import { ThroughlineError } from '@throughline/core/errors'
import type { Store } from '../store.ts'
import type { Row } from './database.ts'
import { cutPage, type PostgresContext } from './postgres-context.ts'
import { threadOf, toEntry } from './rows.ts'
import { linesOf } from './schema/fragments.ts'
import { wordHashes } from './word-hashes.ts'
import { putWords } from './word-indexer.ts'

/** Runs queries that each find the rows that break one rule of the schema, then reads every entry. */
export const check =
  (context: PostgresContext): Store['check'] =>
  async ({ rebuild = false } = {}) => {
    const problems: string[] = []
    for (const [problem, sql] of Object.entries(rules(context.schema))) {
      const rows = await context.database.read(`${sql} limit 20`, [])
      for (const row of rows) problems.push(`${String(row.place)}: ${problem}`)
    }
    return problems.concat(await checkEntries(context, rebuild))
  }

/** What conversationKey (rows.ts) computes. */
const keyOf = (row: string) => `encode(substring(sha256(convert_to(
  octet_length(${row}.tenant) || ':' || ${row}.tenant || ${row}.conversation, 'UTF8')) for 16), 'hex')::uuid`

const rules = (schema: string): Readonly<Record<string, string>> => {
  const names = (row: string) =>
    `coalesce((select concat_ws('/', c.tenant, c.conversation) from ${schema}.conversations c where c.key = ${row}.key), ${row}.key::text)`
  const place = (row: string) => `concat_ws('/', ${names(row)}, ${row}.line) as place`
  const sameLine = (a: string, b: string) => `${a}.key = ${b}.key and ${a}.line = ${b}.line`
  const parts = ['entries', 'turns', 'calls', 'caches', 'words']
  return {
    'its entries are not numbered without gaps from its beginning to its head': `
      select ${place('b')} from ${schema}.branches b left join ${schema}.entries e on ${sameLine('e', 'b')}
      group by b.key, b.line, b.head, b.fork_at
      having count(e.seq) <> b.head - coalesce(b.fork_at, 0)
        or min(e.seq) <> coalesce(b.fork_at, 0) + 1 or max(e.seq) <> b.head`,
    'its turns are not the ones that it counts': `
      select ${place('b')} from ${schema}.branches b
      where b.turns <> (select coalesce(max(t.turn), 0) from ${linesOf} join ${schema}.turns t
        on t.key = b.key and t.line = l.line
        where t.line = b.line or t.first <= l.last)`,
    'the open turn is not the one that the branch names': `
      select ${place('b')} from ${schema}.branches b
      where b.open_turn is distinct from (select max(t.turn) from ${schema}.turns t
        where ${sameLine('t', 'b')} and t.status = 'open')`,
    'an entry lies outside of its turn': `
      select concat_ws('/', ${names('e')}, e.line, e.seq) as place from ${schema}.entries e left join ${schema}.turns t
        on ${sameLine('t', 'e')} and t.turn = e.turn
      where e.turn <> 0 and (t.turn is null or e.seq < t.first or e.seq > t.last)`,
    'its shared past is not there': `
      select ${place('b')} from ${schema}.branches b cross join lateral unnest(b.past_lines, b.past_ends) p (line, last)
      left join ${schema}.branches s on s.key = b.key and s.line = p.line
      where s.line is null or s.head < p.last`,
    'its key is not the one of its names': `
      select concat_ws('/', c.tenant, c.conversation) as place from ${schema}.conversations c
      where c.key <> ${keyOf('c')}`,
    'its branches are there, and it is not': `
      select ${place('b')} from ${schema}.branches b left join ${schema}.conversations c on c.key = b.key
      where c.key is null or c.deleted_at is not null`,
    ...Object.fromEntries(
      parts.map(part => [
        `${part} without a branch`,
        `select distinct ${place('x')} from ${schema}.${part} x left join ${schema}.branches b on ${sameLine('b', 'x')}
        where b.line is null`,
      ]),
    ),
  }
}

/** Reads every entry and checks its checksum and its words in the index; with `rebuild` it indexes the words anew. */
async function checkEntries(
  context: PostgresContext,
  rebuild: boolean,
): Promise<readonly string[]> {
  const { database, schema, isIndexed } = context
  const problems: string[] = []
  for (let rows = await page(undefined); rows.length > 0; rows = await page(rows.at(-1))) {
    for (const row of rows) {
      const place = `${row.tenant}/${row.conversation}/${row.line}/${row.seq}`
      if (!isSound(row)) problems.push(`${place}: the entry is not what was stored`)
      const isMissing = isIndexed && row.isFound === false
      // Empty where the words cannot be computed: then the entry stays out of the index.
      const words = isMissing ? wordHashes(String(row.tenant), String(row.payload), []) : null
      if (!words) continue
      problems.push(`${place}: the entry is not in the index of words`)
      const { key, line, seq, time } = row
      if (rebuild && words.length > 0) await putWords(context, [{ key, line, seq, time, words }])
    }
  }
  return problems

  function page(last: Row | undefined): Promise<readonly Row[]> {
    return database.read(pageSql(schema), [
      last?.key ?? null,
      last?.line ?? null,
      last?.seq ?? null,
    ])
  }
}

const pageSql = (schema: string) =>
  cutPage(
    `select e.*, c.tenant, c.conversation, b.actor, b.branch,
      (e.seq > b.waiting_after) is true or exists (
        select from ${schema}.words w where w.key = e.key and w.line = e.line and w.seq = e.seq
      ) as "isFound"
    from ${schema}.entries e
      join ${schema}.conversations c on c.key = e.key
      join ${schema}.branches b on b.key = e.key and b.line = e.line
    where $1::uuid is null or (e.key, e.line, e.seq) > ($1, $2::integer, $3::integer)
    order by e.key, e.line, e.seq limit 500`,
    'key, line, seq',
  )

function isSound(row: Row): boolean {
  try {
    toEntry(threadOf(row), row)
    return true
  } catch (error) {
    if (error instanceof ThroughlineError) return false
    throw error
  }
}
