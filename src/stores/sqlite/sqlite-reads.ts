import { present } from '../../log/present.ts'
import { toDescription } from '../check-input.ts'
import { nameOf } from '../rules/refusals.ts'
import type {
  ConversationInfo,
  Found,
  Head,
  ListConversations,
  Store,
  ThreadKey,
  ThreadPlace,
} from '../store.ts'
import { NoConversationError, StoreError } from '../store-error.ts'
import { hasWords, snippet, toWanted } from '../words.ts'
import type { Connection } from './connection.ts'
import {
  type BranchRow,
  branchById,
  type ConversationRow,
  conversationById,
  findBranch,
  findConversation,
  saveBranch,
  saveUse,
  usedAtOf,
  verifyNames,
  withHead,
} from './conversation-rows.ts'
import type { SqliteValue } from './driver.ts'
import { type EntryRow, readEntries, toEntry } from './entry-rows.ts'
import { type Checked, saveRow, sound } from './rows.ts'
import { branchIn, seqIn } from './schema.ts'
import type { SqliteContext } from './sqlite-context.ts'
import { toTurn, turnByNumber, turnsOf } from './turn-rows.ts'
import { toMatch, unindexed, waitingWords } from './word-index.ts'

type Reads = Required<
  Pick<
    Store,
    'head' | 'entries' | 'turns' | 'conversations' | 'describeConversation' | 'search' | 'findWords'
  >
>

/** Reads and searches threads, and lists and describes conversations. */
export function sqliteReads(context: SqliteContext): Reads {
  return {
    async head(thread) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch && toHead(connection, branch, context.leases.heldMs(branch))
    },
    async *entries(thread, range = {}) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      if (!branch) return
      for (const row of readEntries(connection, branch, range)) yield toEntry(row, nameOf(thread))
    },
    async turns(thread) {
      const connection = context.ready()
      const branch = findBranch(connection, thread)
      return branch ? turnsOf(connection, branch) : []
    },
    async conversations(tenant, options = {}) {
      const connection = context.ready()
      try {
        saveTimes(context)
      } catch (error) {
        // A disk that fails or is full can still be read: the times are older than they should be.
        if (!(error instanceof StoreError && ['store_io', 'store_full'].includes(error.code))) throw error
      }
      verifyNames(connection)
      const rows = connection.all<ListedRow>(listSql(options), tenant, ...placesOf(options))
      return rows.map(row => toInfo(connection, row))
    },
    async describeConversation(tenant, conversation, description) {
      const given = toDescription(description)
      await context.write({ tenant, conversation }, connection => {
        const row = findConversation(connection, { tenant, conversation })
        if (!row || row.deleted_at !== null) throw new NoConversationError(conversation, row !== undefined)
        const changes = present(given)
        if (Object.keys(changes).length > 0) saveRow(connection, 'conversations', row, changes)
        saveUse(connection, row.id, context.now())
      })
    },
    async search(tenant, query, { limit = 20, person = null, conversation = null } = {}) {
      const connection = context.ready()
      const wanted = toWanted(query)
      if (wanted.length === 0) return []
      const find = context.isIndexed() ? lookUp : scan
      const hits = find(connection, [tenant, person, conversation], wanted, limit)
      return hits.flatMap(({ place }) => toFound(connection, place, tenant, wanted))
    },
    async findWords(tenant, wanted, { person, limit = 64 }) {
      const connection = context.ready()
      const isIndexed = context.isIndexed()
      const waiting = isIndexed ? waitingWords(connection) : []
      const matches = wanted.map(toMatchOne)
      const first = isIndexed ? placesOfWords(connection, matches, Number.MAX_SAFE_INTEGER, limit) : []
      const threadsOf = createLookUp(connection, tenant, person)
      threadsOf(first.flat())
      return wanted.map((forms, at) => {
        const found: ThreadPlace[] = []
        /** Takes the places of this person until there are enough. */
        const take = (places: readonly number[]) => {
          const threads = threadsOf(places)
          for (const place of places) {
            const thread = threads.get(branchIn(place))
            if (thread && found.length < limit) found.push({ thread, seq: seqIn(place) })
          }
        }
        const placed = (hits: readonly Pick<Hit, 'place'>[]) => hits.map(({ place }) => place)
        take(placed(waiting.filter(({ words }) => forms.some(form => words.has(form)))))
        if (!isIndexed)
          take(placed(forms.flatMap(form => scan(connection, [tenant, person, null], [form], limit))))
        // Most entries are this person's, or few are: what is missing is read in larger and larger pages.
        let places = first[at] ?? []
        for (let page = limit, read = page; ; read += page) {
          take(places)
          if (found.length >= limit || places.length < page || read >= mostLookedAt) break
          page = Math.min(4 * page, mostLookedAt - read)
          places = placesOfWords(connection, [matches[at]!], places.at(-1)!, page)[0]!
        }
        return found
      })
    },
  }
}

/** Saves when branches were appended to: conversations are sorted by it. */
export function saveTimes({ appendedAt, ready }: SqliteContext): void {
  if (appendedAt.size === 0) return
  const connection = ready()
  connection.write(() => {
    for (const [id, time] of appendedAt) {
      const branch = branchById(connection, id)
      if (branch) saveBranch(connection, branch, { updated_at: time })
    }
  })
  appendedAt.clear()
}

function toHead(connection: Connection, branch: BranchRow, expiresInMs: number): Head {
  const { head, turns, open_turn: open, owner, epoch, parent_id: parent } = branch
  return {
    head,
    turns,
    ...(open !== null && {
      open: {
        ...toTurn(turnByNumber(connection, branch, open), head),
        lease: { owner: owner!, epoch },
        expiresInMs,
      },
    }),
    ...(parent !== null && {
      forkOf: { branch: branchById(connection, parent)!.branch, at: branch.fork_at },
    }),
  }
}

/** Sorts without an index: it would be written with every append, and 10,000 rows are sorted in some milliseconds. */
function listSql({ only, person, after, order = 'recent' }: ListConversations): string {
  const [where, by] =
    order === 'name'
      ? ['conversation > ?', 'conversation']
      : ['updated_at < ? OR (updated_at = ? AND conversation > ?)', 'updated_at DESC, conversation']
  return `SELECT * FROM (
      SELECT *, (SELECT max(updated_at) FROM branches WHERE conversation_id = conversations.id) AS updated_at
      FROM conversations WHERE tenant = ? AND deleted_at IS NULL
        ${only === undefined ? '' : 'AND conversation = ?'} ${person === undefined ? '' : 'AND person = ?'}
    ) ${after ? `WHERE ${where}` : ''} ORDER BY ${by} LIMIT ?`
}

function placesOf({ only, person, after, order = 'recent', limit = -1 }: ListConversations): SqliteValue[] {
  const { conversation = '', updatedAt = 0 } = after ?? {}
  const place = order === 'name' ? [conversation] : [updatedAt, updatedAt, conversation]
  return [...[only, person].filter(name => name !== undefined), ...(after ? place : []), limit]
}

interface ListedRow extends ConversationRow, Checked {
  readonly updated_at: number
}

function toInfo(connection: Connection, row: ListedRow): ConversationInfo {
  const { id, conversation, created_at: createdAt, title, metadata, person } = sound('conversations', row)
  return {
    conversation,
    createdAt,
    updatedAt: row.updated_at,
    ...present({ usedAt: usedAtOf(connection, id) }),
    ...(title !== null && { title }),
    ...(metadata !== null && { metadata: JSON.parse(metadata) }),
    ...(person !== null && { person }),
    threads: connection
      .all<BranchRow & Checked>('SELECT * FROM branches WHERE conversation_id = ? ORDER BY actor, branch', id)
      .map(found => withHead(connection, sound('branches', found)))
      .map(({ actor, branch, head, updated_at: updatedAt }) => ({ actor, branch, head, updatedAt })),
  }
}

/** The most entries of a word that are looked at, the newest first: the others may be another person's. */
const mostLookedAt = 4096

/** For each match the places of its entries below one, the newest first. As one text each: a row for each place costs more than to find it. */
function placesOfWords(
  connection: Connection,
  matches: readonly string[],
  below: number,
  limit: number,
): number[][] {
  const rows = connection.all<{ places: string | null }>(wordsSql, JSON.stringify(matches), below, limit)
  return rows.map(({ places }) => places?.split(',').map(Number) ?? [])
}

const wordsSql = `SELECT (SELECT group_concat(place) FROM (
    SELECT rowid AS place FROM words WHERE words MATCH wanted.value AND rowid < ?2 ORDER BY rowid DESC LIMIT ?3
  )) AS places FROM json_each(?1) AS wanted ORDER BY wanted.key`

const toMatchOne = (forms: readonly string[]) => forms.map(form => toMatch([form])).join(' OR ')

/** Finds the threads of a person that some places stand in, by the numbers of their branches. */
function createLookUp(connection: Connection, tenant: string, person: string) {
  const known = new Map<number, ThreadKey | undefined>()
  return (places: readonly number[]): ReadonlyMap<number, ThreadKey | undefined> => {
    const unknown = [...new Set(places.map(branchIn))].filter(id => !known.has(id))
    for (const id of unknown) known.set(id, undefined)
    const rows =
      unknown.length === 0 ? [] : connection.all<OwnRow>(ownerSql, JSON.stringify(unknown), tenant, person)
    for (const { id, conversation, actor, branch } of rows)
      known.set(id, { tenant, conversation, actor, branch })
    return known
  }
}

interface OwnRow extends Omit<ThreadKey, 'tenant'> {
  readonly id: number
}

const ownerSql = `SELECT branches.id AS id, conversation, actor, branch FROM json_each(?)
  CROSS JOIN branches ON branches.id = value JOIN conversations ON conversations.id = conversation_id
  WHERE tenant = ? AND person = ? AND deleted_at IS NULL`

/** Reads the entries that wait for the index before the index: the writer may move some meanwhile. */
function lookUp(connection: Connection, whose: Whose, wanted: readonly string[], limit: number): Hit[] {
  const waiting = unindexed(connection)
    .filter(({ payload }) => hasWords(payload, wanted))
    .flatMap(({ place }) => connection.all<Hit>(placeSql, ...whose, place))
  const indexed = connection.all<Hit>(indexSql, ...whose, toMatch(wanted), limit)
  const hits = new Map([...waiting, ...indexed].map(hit => [hit.place, hit]))
  return [...hits.values()].sort((a, b) => b.time - a.time || b.place - a.place).slice(0, limit)
}

/** Reads every entry of the tenant, without an index. */
function scan(connection: Connection, whose: Whose, wanted: readonly string[], limit: number): Hit[] {
  const hits: Hit[] = []
  for (const { payload, ...hit } of connection.iterate<Hit & { payload: string }>(scanSql, ...whose)) {
    if (hits.length >= limit) break
    if (hasWords(payload, wanted)) hits.push(hit)
  }
  return hits
}

interface Hit {
  readonly place: number
  readonly time: number
}

/** The tenant, and the person or the one conversation that is wanted. */
type Whose = readonly [tenant: string, person: string | null, conversation: string | null]

const joined = `entries JOIN branches ON branches.id = entries.branch_id
  JOIN conversations ON conversations.id = branches.conversation_id`
const ofWhom = 'tenant = ?1 AND (?2 IS NULL OR person = ?2) AND (?3 IS NULL OR conversation = ?3)'
const placeSql = `SELECT place, time FROM ${joined} WHERE place = ?4 AND ${ofWhom}`
// Selects places first and texts later: sorting would carry the texts of all matches.
const indexSql = `SELECT place, time FROM words JOIN ${joined} WHERE words MATCH ?4
  AND entries.place = words.rowid AND ${ofWhom} ORDER BY time DESC, place DESC LIMIT ?5`
const scanSql = `SELECT place, time, (SELECT payload FROM entries AS texts WHERE texts.place = ordered.place) AS payload
  FROM (SELECT place, time FROM ${joined} WHERE ${ofWhom}) AS ordered ORDER BY time DESC, place DESC`

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
