import { present } from '@throughline/core/values'
import { toDescription } from '../check-input.ts'
import { toHead } from '../rules/branch-writes.ts'
import { isLaterUse } from '../rules/last-use.ts'
import type { ConversationInfo, ListConversations, Store, ThreadKey, WordPlace } from '../store.ts'
import { NoConversationError, nameOf, StoreError } from '../store-error.ts'
import { withoutNulls } from '../without-nulls.ts'
import { payloadTexts, words } from '../words.ts'
import type { Connection } from './connection.ts'
import type { BranchRow, ConversationRow } from './conversation-rows.ts'
import * as stored from './conversation-rows.ts'
import type { SqliteValue } from './driver.ts'
import { readEntries, toEntry } from './entry-rows.ts'
import { type Checked, saveRow, sound } from './rows.ts'
import { branchIn, placeOf, seqIn } from './schema.ts'
import { stateOf } from './sqlite-branches.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toMatch, waitingWords } from './word-index.ts'

export function sqliteReads(context: SqliteContext) {
  return {
    async head(thread) {
      const connection = context.ready()
      const branch = stored.findBranch(connection, thread)
      if (!branch) return undefined
      return toHead(
        stateOf(connection, thread, branch, context.leases),
        stored.forkOf(connection, branch),
      )
    },
    async *entries(thread, range = {}) {
      const connection = context.ready()
      const branch = stored.findBranch(connection, thread)
      if (!branch) return
      for (const row of readEntries(connection, branch, range)) yield toEntry(row, nameOf(thread))
    },
    async turns(thread) {
      const connection = context.ready()
      const branch = stored.findBranch(connection, thread)
      return branch ? stored.turnsOf(connection, branch) : []
    },
    async tenants() {
      const connection = context.ready()
      stored.verifyNames(connection)
      const sql =
        'SELECT tenant FROM conversations WHERE deleted_at IS NULL GROUP BY tenant ORDER BY tenant'
      return connection.all<{ tenant: string }>(sql).map(({ tenant }) => tenant)
    },
    async conversations(tenant, options = {}) {
      const connection = context.ready()
      try {
        saveTimes(context)
      } catch (error) {
        // A disk that fails or is full, or a file that is held, can still be read: the times are older than they should be.
        const isReadable = error instanceof StoreError && readable.includes(error.code)
        if (!isReadable) throw error
      }
      stored.verifyNames(connection)
      const rows = connection.all<ListedRow>(listSql(options), tenant, ...placesOf(options))
      return rows.map(row => toInfo(connection, row))
    },
    async describeConversation(tenant, conversation, description) {
      const fields = toDescription(description)
      await context.write({ tenant, conversation }, connection => {
        const row = stored.findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null)
          throw new NoConversationError(conversation, row !== undefined)
        const now = context.now()
        const changes = present({
          ...fields,
          used_at: isLaterUse(now, row.used_at ?? 0) ? now : undefined,
        })
        if (Object.keys(changes).length > 0) saveRow(connection, 'conversations', row, changes)
      })
    },
    async findWords(
      tenant,
      wanted,
      { person = null, conversation = null, limit = 64, times = false } = {},
    ) {
      const connection = context.ready()
      stored.verifyNames(connection)
      const whose: Whose = [tenant, person, conversation]
      if (!context.isIndexed()) return scan(connection, whose, wanted, limit, times)
      // Entries that wait for the index are read before it: the writer may move some meanwhile.
      const waiting = waitingWords(connection)
      const waitingPlaces = new Set(waiting.map(({ place }) => place))
      const range = conversation === null ? undefined : rangeOf(connection, whose)
      const matches = wanted.map(toMatchOne)
      const firstPages = placesOfWords(connection, matches, { limit, ...range })
      const threadsOf = createLookUp(connection, whose)
      threadsOf(firstPages.flat())
      return wanted.map((forms, at) => {
        const hits: WordPlace[] = []
        /** Takes the places of this person until there are enough. */
        const take = (places: readonly number[]) => {
          const threads = threadsOf(places)
          const timesOf = times ? timesAt(connection, places) : undefined
          for (const [at, place] of places.entries()) {
            const thread = threads.get(branchIn(place))
            if (thread && hits.length < limit) hits.push(toPlace(thread, place, timesOf?.[at]))
          }
        }
        take(
          waiting.flatMap(({ place, words }) =>
            forms.some(form => words.has(form)) ? [place] : [],
          ),
        )
        // Most entries are this person's, or few are: what is missing is read in larger and larger pages.
        let places = firstPages[at]!
        for (let page = limit, read = page; ; read += page) {
          take(
            waitingPlaces.size === 0 ? places : places.filter(place => !waitingPlaces.has(place)),
          )
          if (hits.length >= limit || places.length < page || read >= mostLookedAt) break
          page = Math.min(4 * page, mostLookedAt - read)
          const next = { ...range, limit: page, below: places.at(-1)! }
          places = placesOfWords(connection, [matches[at]!], next)[0]!
        }
        return hits
      })
    },
  } satisfies Partial<Store>
}

/** Errors of a write that leave the file readable. */
const readable: readonly string[] = ['store_io', 'store_full', 'store_busy']

/** Saves when branches were appended to: conversations are sorted by it. */
export function saveTimes({ appendedAt, ready }: SqliteContext): void {
  if (appendedAt.size === 0) return
  const connection = ready()
  connection.write(() => {
    for (const [id, time] of appendedAt) {
      const branch = stored.branchById(connection, id)
      if (branch) stored.saveBranch(connection, branch, { updated_at: time })
    }
  })
  appendedAt.clear()
}

/** Sorts without an index: it would be written with every append, and 10,000 rows are sorted in some milliseconds. */
function listSql({
  only,
  person,
  after,
  order = 'recent',
  unusedSince,
}: ListConversations): string {
  const [where, by] =
    order === 'name'
      ? ['conversation > ?', 'conversation']
      : [
          '(updated_at < ? OR (updated_at = ? AND conversation > ?))',
          'updated_at DESC, conversation',
        ]
  const unused = 'updated_at < ? AND coalesce(used_at, 0) < ?'
  const conditions = [...(after ? [where] : []), ...(unusedSince === undefined ? [] : [unused])]
  return `SELECT * FROM (
      SELECT *, (SELECT max(updated_at) FROM branches WHERE conversation_id = conversations.id) AS updated_at
      FROM conversations WHERE tenant = ? AND deleted_at IS NULL
        ${only === undefined ? '' : 'AND conversation = ?'} ${person === undefined ? '' : 'AND person = ?'}
    ) ${conditions.length > 0 ? `WHERE ${conditions.join(' AND ')}` : ''} ORDER BY ${by} LIMIT ?`
}

function placesOf({
  only,
  person,
  after,
  order = 'recent',
  limit = -1,
  unusedSince,
}: ListConversations): SqliteValue[] {
  const { conversation = '', updatedAt = 0 } = after ?? {}
  const place = order === 'name' ? [conversation] : [updatedAt, updatedAt, conversation]
  const since = unusedSince === undefined ? [] : [unusedSince, unusedSince]
  const names = [only, person].filter(name => name !== undefined)
  return [...names, ...(after ? place : []), ...since, limit]
}

interface ListedRow extends ConversationRow, Checked {
  readonly updated_at: number
}

function toInfo(connection: Connection, row: ListedRow): ConversationInfo {
  const { id, conversation, title, metadata, person, ...times } = sound('conversations', row)
  const { created_at: createdAt, updated_at: updatedAt, used_at: usedAt } = times
  return withoutNulls({
    conversation,
    createdAt,
    updatedAt,
    usedAt,
    title,
    person,
    metadata: metadata === null ? null : JSON.parse(metadata),
    threads: connection
      .all<BranchRow & Checked>(
        'SELECT * FROM branches WHERE conversation_id = ? ORDER BY actor, branch',
        id,
      )
      .map(row => stored.withHead(connection, sound('branches', row)))
      .map(({ actor, branch, head, updated_at: updatedAt }) => ({
        actor,
        branch,
        head,
        updatedAt,
      })),
  })
}

/** How many entries of a word are read, newest first, to find those of one person. */
const mostLookedAt = 20_000

interface PlaceRange {
  readonly above?: number
  readonly below?: number
  readonly limit: number
}

/** For each match the places of its entries, newest first, as one text: a row for each place costs more than finding it. */
function placesOfWords(
  connection: Connection,
  matches: readonly string[],
  { above = 0, below = Number.MAX_SAFE_INTEGER, limit }: PlaceRange,
): number[][] {
  const values = [JSON.stringify(matches), above, below, limit]
  const rows = connection.all<{ places: string }>(wordsSql, ...values)
  return rows.map(({ places }) => JSON.parse(places) as number[])
}

const wordsSql = `SELECT (SELECT json_group_array(place) FROM (
    SELECT rowid AS place FROM words WHERE words MATCH wanted.value AND rowid > ?2 AND rowid < ?3
    ORDER BY rowid DESC LIMIT ?4
  )) AS places FROM json_each(?1) AS wanted ORDER BY wanted.key`

const toMatchOne = (forms: readonly string[]) => forms.map(form => toMatch([form])).join(' OR ')

/** The places between which the entries of a conversation stand; others may stand there too. */
function rangeOf(connection: Connection, whose: Whose): Pick<PlaceRange, 'above' | 'below'> {
  const row = connection.get<{ first: number | null; last: number | null }>(rangeSql, ...whose)
  return { above: placeOf(row?.first ?? 0, 0), below: placeOf((row?.last ?? -1) + 1, 0) }
}

/** Finds the threads that some places stand in, by the numbers of their branches; undefined for those of others. */
function createLookUp(connection: Connection, whose: Whose) {
  const threads = new Map<number, ThreadKey | undefined>()
  return (places: readonly number[]): ReadonlyMap<number, ThreadKey | undefined> => {
    const unread = new Set<number>()
    for (const place of places) if (!threads.has(branchIn(place))) unread.add(branchIn(place))
    if (unread.size === 0) return threads
    for (const id of unread) threads.set(id, undefined)
    const row = connection.get<{ owners: string }>(ownerSql, ...whose, JSON.stringify([...unread]))
    for (const [id, conversation, actor, branch] of JSON.parse(row!.owners) as [
      number,
      string,
      string,
      string,
    ][])
      threads.set(id, { tenant: whose[0], conversation, actor, branch })
    return threads
  }
}

const toPlace = (thread: ThreadKey, place: number, time: number | null = null): WordPlace =>
  time === null ? { thread, seq: seqIn(place) } : { thread, seq: seqIn(place), time }

/** The times of the entries at some places; null where another process has deleted one meanwhile. */
function timesAt(connection: Connection, places: readonly number[]): readonly (number | null)[] {
  const sql = 'SELECT time FROM json_each(?) LEFT JOIN entries ON place = value ORDER BY key'
  return connection
    .all<{ time: number | null }>(sql, JSON.stringify(places))
    .map(({ time }) => time)
}

/** Reads every entry of the tenant, without an index. */
function scan(
  connection: Connection,
  whose: Whose,
  wanted: readonly (readonly string[])[],
  limit: number,
  times: boolean,
) {
  const hits = wanted.map((): WordPlace[] => [])
  const threadsOf = createLookUp(connection, whose)
  for (const { place, time, payload } of connection.iterate<ScannedRow>(scanSql, ...whose)) {
    if (hits.every(({ length }) => length >= limit)) break
    const has = words(payloadTexts(payload))
    for (const [at, forms] of wanted.entries())
      if (hits[at]!.length < limit && forms.some(form => has.has(form)))
        hits[at]!.push(
          toPlace(threadsOf([place]).get(branchIn(place))!, place, times ? time : null),
        )
  }
  return hits
}

interface ScannedRow {
  readonly place: number
  readonly time: number
  readonly payload: string
}

/** The tenant, and the person or the one conversation that is wanted. */
type Whose = readonly [tenant: string, person: string | null, conversation: string | null]

const ofWhom =
  'tenant = ?1 AND (?2 IS NULL OR person = ?2) AND (?3 IS NULL OR conversation = ?3) AND deleted_at IS NULL'
const ownerSql = `SELECT json_group_array(json_array(branches.id, conversation, actor, branch)) AS owners FROM json_each(?4)
  CROSS JOIN branches ON branches.id = value JOIN conversations ON conversations.id = conversation_id WHERE ${ofWhom}`
const rangeSql = `SELECT min(branches.id) AS first, max(branches.id) AS last FROM conversations
  JOIN branches ON conversation_id = conversations.id WHERE ${ofWhom}`
// Sorts places first and reads texts later: sorting would carry the texts of all entries.
const scanSql = `SELECT place, time, (SELECT payload FROM entries AS texts WHERE texts.place = ordered.place) AS payload
  FROM (SELECT place, time FROM entries JOIN branches ON branches.id = entries.branch_id
    JOIN conversations ON conversations.id = branches.conversation_id WHERE ${ofWhom}) AS ordered
  ORDER BY time DESC, place DESC`
