import type { Role } from '../../log/message.ts'
import { checkNames } from '../check-input.ts'
import { payloadTexts } from '../payload-texts.ts'
import { snippet } from '../snippet.ts'
import type { Found } from '../store.ts'
import { words } from '../words.ts'
import type { Database, Row } from './database.ts'
import { hashWord } from './word-hashes.ts'

/** Rows that are looked at together: a payload can have megabytes. */
const pageRows = 20

/** Entries that have all the words, newest first. The index knows words by their hash: the text decides. */
export async function search(
  database: Database,
  schema: string,
  tenant: string,
  query: string,
  { limit = 20 }: { readonly limit?: number } = {},
): Promise<readonly Found[]> {
  checkNames({ tenant })
  const wanted = [...new Set(words(query))]
  if (wanted.length === 0) return []
  const hashes = wanted.map(word => hashWord(tenant, word))
  const found: Found[] = []
  for (let offset = 0; found.length < limit; offset += pageRows) {
    const rows = await database.read(
      `select b.conversation, b.actor, b.branch, e.seq, e.role, e.time, e.payload
      from ${schema}.entries e join ${schema}.branches b
        on b.tenant = e.tenant and b.conversation = e.conversation and b.line = e.line
      where e.words @> $1::integer[] and e.tenant = $2
      order by e.time desc, e.conversation desc, e.line desc, e.seq desc limit ${pageRows} offset $3`,
      [hashes, tenant, offset],
    )
    const hits = rows.filter(row => hasAll(String(row.payload), wanted))
    found.push(...hits.map(row => toFound(tenant, row, wanted)))
    if (rows.length < pageRows) break
  }
  return found.slice(0, limit)
}

function hasAll(payload: string, wanted: readonly string[]): boolean {
  const has = new Set(payloadTexts(payload).flatMap(words))
  return wanted.every(word => has.has(word))
}

const toFound = (tenant: string, row: Row, wanted: readonly string[]): Found => ({
  thread: {
    tenant,
    conversation: String(row.conversation),
    actor: String(row.actor),
    branch: String(row.branch),
  },
  seq: Number(row.seq),
  role: row.role as Role,
  time: Number(row.time),
  snippet: snippet(String(row.payload), wanted),
})
