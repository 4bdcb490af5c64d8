import { ThroughlineError } from '../../log/error.ts'
import type { Database } from './database.ts'
import type { Row } from './pg-client.ts'
import { toEntry } from './read-rows.ts'
import { hashesOf } from './word-hashes.ts'

export interface CheckEntriesOptions {
  readonly isIndexed: boolean
  readonly rebuild: boolean
}

/** Reads every entry and checks its checksum and its words in the index; with `rebuild` it indexes the words anew. */
export async function checkEntries(
  database: Database,
  schema: string,
  { isIndexed, rebuild }: CheckEntriesOptions,
): Promise<readonly string[]> {
  const problems: string[] = []
  const write = `update ${schema}.entries set words = $4::integer[] where key = $1 and line = $2 and seq = $3`
  for (let rows = await page(undefined); rows.length > 0; rows = await page(rows.at(-1))) {
    for (const row of rows) {
      const place = `${row.tenant}/${row.conversation}/${row.line}/${row.seq}`
      if (!isSound(row)) problems.push(`${place}: the entry is not what was stored`)
      const words = isIndexed && row.words === null ? wordsOf(row) : null
      if (!words) continue
      problems.push(`${place}: the entry is not in the index of words`)
      if (rebuild && words.length > 0) await database.write(write, [row.key, row.line, row.seq, words])
    }
  }
  return problems

  function page(last: Row | undefined): Promise<readonly Row[]> {
    return database.read(pageSql(schema), [last?.key ?? null, last?.line ?? null, last?.seq ?? null])
  }
}

/** A page ends at either limit: one payload can have megabytes. */
const pageRows = 500
const pageBytes = 4 * 1024 * 1024

const pageSql = (schema: string) => `
  select * from (
    select e.*, sum(octet_length(payload)) over (order by key, line, seq) - octet_length(payload) as before
    from (
      select e.*, c.tenant, c.conversation, b.actor, b.branch from ${schema}.entries e
        join ${schema}.conversations c on c.key = e.key
        join ${schema}.branches b on b.key = e.key and b.line = e.line
      where $1::uuid is null or (e.key, e.line, e.seq) > ($1, $2::integer, $3::integer)
      order by e.key, e.line, e.seq limit ${pageRows}
    ) e
  ) e where before < ${pageBytes} order by key, line, seq`

function isSound(row: Row): boolean {
  try {
    const [tenant, conversation, actor, branch] = [row.tenant, row.conversation, row.actor, row.branch].map(
      String,
    )
    toEntry({ tenant: tenant!, conversation: conversation!, actor: actor!, branch: branch! }, row)
    return true
  } catch (error) {
    if (error instanceof ThroughlineError) return false
    throw error
  }
}

/** The hashes that an entry's words should have: null without words, empty where they cannot be computed. */
function wordsOf(row: Row): readonly number[] | null {
  try {
    return hashesOf(String(row.tenant), String(row.payload))
  } catch {
    return []
  }
}
