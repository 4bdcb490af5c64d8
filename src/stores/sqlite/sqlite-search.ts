import type { Role } from '../../log/message.ts'
import { checkNames } from '../check-input.ts'
import { hasWords, toWanted } from '../has-words.ts'
import { snippet } from '../snippet.ts'
import type { Found } from '../store.ts'
import type { Connection } from './connection.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toMatch, unindexed } from './word-index.ts'

/** Every word must be in the entry; the newest come first. */
export function sqliteSearch(context: SqliteContext, tenant: string, query: string, limit: number): Found[] {
  checkNames({ tenant })
  const connection = context.ready()
  const wanted = toWanted(query)
  if (wanted.length === 0) return []
  const hits = context.queue()
    ? lookUp(connection, tenant, wanted, limit)
    : scan(connection, tenant, wanted, limit)
  return hits.flatMap(({ place }) => {
    const row = connection.get<FoundRow>(foundSql, place)
    // Deleted by the writer while a reader was looking.
    return row ? [toFound(row, tenant, wanted)] : []
  })
}

/** What waits for the index first: a reader must not miss what the writer moves in between. */
function lookUp(connection: Connection, tenant: string, wanted: readonly string[], limit: number): Hit[] {
  const waiting = unindexed(connection)
    .filter(({ payload }) => hasWords(payload, wanted))
    .flatMap(({ place }) => connection.all<Hit>(placeSql, place, tenant))
  const indexed = connection.all<Hit>(indexSql, toMatch(wanted), tenant, limit)
  const hits = new Map([...waiting, ...indexed].map(hit => [hit.place, hit]))
  return [...hits.values()].sort((a, b) => b.time - a.time || b.place - a.place).slice(0, limit)
}

/** Reads every entry of the tenant: the way without an index. */
function scan(connection: Connection, tenant: string, wanted: readonly string[], limit: number): Hit[] {
  const hits: Hit[] = []
  for (const { payload, ...hit } of connection.iterate<Hit & { payload: string }>(scanSql, tenant)) {
    if (hits.length >= limit) break
    if (hasWords(payload, wanted)) hits.push(hit)
  }
  return hits
}

interface Hit {
  readonly place: number
  readonly time: number
}

const joined = `entries JOIN branches ON branches.id = entries.branch_id
  JOIN conversations ON conversations.id = branches.conversation_id`
const placeSql = `SELECT place, time FROM ${joined} WHERE place = ? AND tenant = ?`
// Places first, texts later: sorting would carry the texts of all that match.
const indexSql = `SELECT place, time FROM words JOIN ${joined} WHERE words MATCH ? AND entries.place = words.rowid
  AND tenant = ? ORDER BY time DESC, place DESC LIMIT ?`
const scanSql = `SELECT place, time, (SELECT payload FROM entries AS texts WHERE texts.place = ordered.place) AS payload
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
