import { hasWords, toWanted } from '../has-words.ts'
import { nameOf } from '../refusals.ts'
import { snippet } from '../snippet.ts'
import type { Found } from '../store.ts'
import { StoreError } from '../store-error.ts'
import { branchById } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { conversationById } from './conversation-rows.ts'
import { type EntryRow, toEntry } from './entry-rows.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toMatch, unindexed } from './word-index.ts'

export function sqliteSearch(context: SqliteContext, tenant: string, query: string, limit: number): Found[] {
  const connection = context.ready()
  const wanted = toWanted(query)
  if (wanted.length === 0) return []
  const hits = context.isIndexed()
    ? lookUp(connection, tenant, wanted, limit)
    : scan(connection, tenant, wanted, limit)
  return hits.flatMap(({ place }) => toFound(connection, place, tenant, wanted))
}

/** Reads the entries that wait for the index before the index: the writer may move some meanwhile. */
function lookUp(connection: Connection, tenant: string, wanted: readonly string[], limit: number): Hit[] {
  const waiting = unindexed(connection)
    .filter(({ payload }) => hasWords(payload, wanted))
    .flatMap(({ place }) => connection.all<Hit>(placeSql, place, tenant))
  const indexed = connection.all<Hit>(indexSql, toMatch(wanted), tenant, limit)
  const hits = new Map([...waiting, ...indexed].map(hit => [hit.place, hit]))
  return [...hits.values()].sort((a, b) => b.time - a.time || b.place - a.place).slice(0, limit)
}

/** Reads every entry of the tenant, without an index. */
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
// Selects places first and texts later: sorting would carry the texts of all matches.
const indexSql = `SELECT place, time FROM words JOIN ${joined} WHERE words MATCH ? AND entries.place = words.rowid
  AND tenant = ? ORDER BY time DESC, place DESC LIMIT ?`
const scanSql = `SELECT place, time, (SELECT payload FROM entries AS texts WHERE texts.place = ordered.place) AS payload
  FROM (SELECT place, time FROM ${joined} WHERE tenant = ?) AS ordered ORDER BY time DESC, place DESC`

/** The hit with its text; empty if the writer has deleted it meanwhile. */
function toFound(connection: Connection, place: number, tenant: string, wanted: readonly string[]): Found[] {
  const row = connection.get<EntryRow>('SELECT * FROM entries WHERE place = ?', place)
  const found = row && branchById(connection, row.branch_id)
  const conversation = found && conversationById(connection, found.conversation_id)
  if (conversation?.tenant !== tenant) return []
  const thread = {
    tenant,
    conversation: conversation.conversation,
    actor: found!.actor,
    branch: found!.branch,
  }
  const { seq, role, time, payload } = toEntry(row!, nameOf(thread))
  if (!hasWords(payload, wanted)) throw damagedIndex(connection)
  return [{ thread, seq, role, time, snippet: snippet(payload, wanted) }]
}

const damagedIndex = ({ path }: Connection) =>
  new StoreError(
    'store_corrupt',
    `${path}: the index of words is damaged: run "throughline log check --rebuild", which makes it anew.`,
  )
