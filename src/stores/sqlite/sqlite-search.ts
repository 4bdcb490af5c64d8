import type { Role } from '../../log/message.ts'
import { payloadTexts } from '../memory/payload-texts.ts'
import { snippet } from '../memory/snippet.ts'
import { words } from '../memory/words.ts'
import type { Found } from '../store.ts'
import type { Connection } from './connection.ts'
import type { SqliteContext } from './sqlite-store.ts'
import { toMatch } from './word-index.ts'

/** Every word must be in the entry; the newest come first. */
export function sqliteSearch(context: SqliteContext, tenant: string, query: string, limit: number): Found[] {
  const connection = context.ready()
  const wanted = words(query)
  if (wanted.length === 0) return []
  const places = context.isIndexed()
    ? connection.all<{ place: number }>(indexSql, toMatch(wanted), tenant, limit).map(({ place }) => place)
    : scan(connection, tenant, wanted, limit)
  return places.map(place => toFound(connection.get<FoundRow>(foundSql, place)!, tenant, wanted))
}

/** Reads every entry of the tenant: the way without an index. */
function scan(connection: Connection, tenant: string, wanted: readonly string[], limit: number): number[] {
  const places: number[] = []
  for (const { place, payload } of connection.iterate<{ place: number; payload: string }>(scanSql, tenant)) {
    if (places.length >= limit) break
    const has = new Set(payloadTexts(payload).flatMap(words))
    if (wanted.every(word => has.has(word))) places.push(place)
  }
  return places
}

const joined = `entries JOIN branches ON branches.id = entries.branch_id
  JOIN conversations ON conversations.id = branches.conversation_id`
// Places first, texts later: sorting would carry the texts of all that match.
const indexSql = `SELECT place FROM words JOIN ${joined} WHERE words MATCH ? AND entries.place = words.rowid
  AND tenant = ? ORDER BY time DESC, place DESC LIMIT ?`
const scanSql = `SELECT place, (SELECT payload FROM entries AS texts WHERE texts.place = ordered.place) AS payload
  FROM (SELECT place, time FROM ${joined} WHERE tenant = ?) AS ordered ORDER BY time DESC, place DESC`
const foundSql = `SELECT conversation, actor, branch, seq, role, time, payload FROM ${joined} WHERE place = ?`

interface FoundRow {
  readonly conversation: string
  readonly actor: string
  readonly branch: string
  readonly seq: number
  readonly role: string
  readonly time: number
  readonly payload: string
}

function toFound(row: FoundRow, tenant: string, wanted: readonly string[]): Found {
  const { conversation, actor, branch, seq, role, time, payload } = row
  const thread = { tenant, conversation, actor, branch }
  return { thread, seq, role: role as Role, time, snippet: snippet(payload, wanted) }
}
