import { isAsciiWord } from '@throughline/core/recall'
import { StoreError, type StoreProblem } from '../store-error.ts'
import { payloadTexts, words } from '../words.ts'
import type { Connection } from './connection.ts'
import { branchIn, maxSeq, placeOf, seqIn } from './schema.ts'

/**
 * The index of words: which entry has which words, without texts. Words are cut by `words()`, so the tokenizer only
 * splits at spaces. New entries are added in batches: `waiting` has, for each branch, the place after
 * which entries are not yet indexed. If the table exists, all other entries are in it.
 */
export function createWordIndex(connection: Connection): void {
  connection.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = ascii);
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    DELETE FROM waiting`)
  connection.forget()
  const sql = 'SELECT place FROM entries WHERE place > ? ORDER BY place LIMIT 256'
  for (let places = placesOf(connection, sql, 0); places.length > 0; ) {
    addPlaces(connection, places)
    places = placesOf(connection, sql, places.at(-1)!)
  }
}

/**
 * Queues an entry in the transaction that inserted it. Entries are indexed in batches: one by one they would cost more in
 * the index than in the log. The file has a row for each branch with waiting entries, not for each entry, so that most
 * appends write nothing here; how many wait is counted in memory. The limits are there because search reads waiting
 * entries word by word.
 */
export function queueEntry(
  connection: Connection,
  branchId: number,
  { seq, payload }: { readonly seq: number; readonly payload: string },
): void {
  const waiting =
    connection.recall<Backlog>('waiting') ??
    connection.remember('waiting', load(connection, branchId, seq))
  if (!waiting.branches.has(branchId)) {
    connection.run('INSERT INTO waiting (branch_id, after) VALUES (?, ?)', branchId, seq - 1)
    waiting.branches.add(branchId)
  }
  waiting.entries++
  waiting.characters += payload.length
  if (waiting.entries < maxEntries && waiting.characters < maxCharacters) return
  // By place: in this order the index takes them fastest.
  const rows = connection.all<PayloadRow>(`SELECT place, payload ${waitingSql}`)
  const payloads = new Map(rows.map(row => [row.place, row.payload]))
  addPlaces(connection, [...payloads.keys()], place => payloads.get(place)!)
  connection.run('DELETE FROM waiting')
  connection.remember('waiting', { branches: new Set(), entries: 0, characters: 0 })
}

const maxEntries = 256
const maxCharacters = 256_000

interface Backlog {
  readonly branches: Set<number>
  entries: number
  characters: number
}

function load(connection: Connection, branchId: number, seq: number): Backlog {
  const rows = connection.all<{ id: number; entries: number; characters: number | null }>(
    loadSql,
    branchId,
    seq,
  )
  return {
    branches: new Set(rows.map(({ id }) => id)),
    entries: rows.reduce((sum, row) => sum + row.entries, 0),
    characters: rows.reduce((sum, row) => sum + (row.characters ?? 0), 0),
  }
}

const loadSql = `SELECT waiting.branch_id AS id, count(place) AS entries, sum(octet_length(payload)) AS characters
  FROM waiting LEFT JOIN entries ON place > (waiting.branch_id << 24) + after
    AND place <= (waiting.branch_id << 24) + ${maxSeq} AND place <> (? << 24) + ?
  GROUP BY waiting.branch_id`

/** Adds entries to the index, but none that cannot be: the log comes first, and `check` finds it. */
function addPlaces(
  connection: Connection,
  places: readonly number[],
  payloadOf = (place: number) => payloadAt(connection, place),
): void {
  const add = (place: number) => {
    const text = wordsOf(payloadOf(place))
    if (text !== '') connection.run('INSERT INTO words (rowid, text) VALUES (?, ?)', place, text)
  }
  if (attempt(connection, () => places.forEach(add))) return
  for (const place of places) attempt(connection, () => add(place))
}

/** Runs work in a savepoint and says whether it succeeded; a failure is rolled back. Errors of the disk are thrown. */
function attempt(connection: Connection, work: () => void): boolean {
  connection.exec('SAVEPOINT attempt')
  try {
    work()
    // The index writes only when another savepoint begins: its errors must come here, not at the commit.
    connection.exec('SAVEPOINT written; RELEASE attempt')
    return true
  } catch (error) {
    if (error instanceof StoreError && ofTheDisk.includes(error.code as StoreProblem)) throw error
    connection.exec('ROLLBACK TO attempt; RELEASE attempt')
    return false
  }
}

const ofTheDisk: readonly StoreProblem[] = [
  'store_full',
  'store_io',
  'store_busy',
  'store_read_only',
]

export function dropWordIndex(connection: Connection): void {
  connection.exec('DROP TABLE words; DELETE FROM waiting')
}

export function rebuildWordIndex(connection: Connection): void {
  dropWordIndex(connection)
  createWordIndex(connection)
}

export const hasWordIndex = (connection: Connection): boolean =>
  connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'words'") !== undefined

/** Whether this build of SQLite has FTS5. */
export const canIndexWords = (connection: Connection): boolean =>
  connection.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined

/** The words of unindexed entries, newest first. Each is read once: there are few, and they are looked at for every message. */
export function waitingWords(connection: Connection) {
  const cache = wordsWaiting.get(connection) ?? new Map<number, ReadonlySet<string>>()
  const now = new Map<number, ReadonlySet<string>>()
  for (const place of placesOf(connection, `SELECT place ${waitingSql}`).reverse())
    now.set(place, cache.get(place) ?? words(payloadTexts(payloadAt(connection, place))))
  wordsWaiting.set(connection, now)
  return [...now].map(([place, words]) => ({ place, words }))
}

const wordsWaiting = new WeakMap<Connection, ReadonlyMap<number, ReadonlySet<string>>>()

const waitingSql = `FROM waiting CROSS JOIN entries
  ON place > (waiting.branch_id << 24) + after AND place <= (waiting.branch_id << 24) + ${maxSeq}
  ORDER BY waiting.branch_id, place`

/** Removes a branch's entries from the index, which needs their texts for it. False: the index must be made anew. */
export function forgetEntries(connection: Connection, branchId: number): boolean {
  wordsWaiting.delete(connection)
  const row = connection.get<{ after: number }>(
    'SELECT after FROM waiting WHERE branch_id = ?',
    branchId,
  )
  const ends = [placeOf(branchId, 0), placeOf(branchId, row?.after ?? maxSeq)]
  const places = placesOf(
    connection,
    'SELECT place FROM entries WHERE place BETWEEN ? AND ?',
    ...ends,
  )
  connection.run('DELETE FROM waiting WHERE branch_id = ?', branchId)
  return attempt(connection, () => {
    for (const place of places) {
      const text = wordsOf(payloadAt(connection, place))
      if (text !== '')
        connection.run(
          "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)",
          place,
          text,
        )
    }
  })
}

/** Changes an entry, and its words with it if they are in the index. False: the index must be made anew. */
export function reindexEntry(connection: Connection, place: number, change: () => void): boolean {
  wordsWaiting.delete(connection)
  const sql = 'SELECT after FROM waiting WHERE branch_id = ?'
  const { after = maxSeq } = connection.get<{ after: number }>(sql, branchIn(place)) ?? {}
  const before = wordsOf(payloadAt(connection, place))
  change()
  if (seqIn(place) > after) return true
  return attempt(connection, () => {
    if (before !== '')
      connection.run(
        "INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)",
        place,
        before,
      )
    addPlaces(connection, [place])
  })
}

const placesOf = (connection: Connection, sql: string, ...values: number[]) =>
  connection.all<{ place: number }>(sql, ...values).map(({ place }) => place)

/** Empty if another process has deleted the entry meanwhile. */
const payloadAt = (connection: Connection, place: number) =>
  connection.get<PayloadRow>('SELECT place, payload FROM entries WHERE place = ?', place)
    ?.payload ?? ''

/** A query of quoted words, so that none is an operator. */
export const toMatch = (wanted: readonly string[]) => wanted.map(word => `"${word}"`).join(' ')

/** The words to index. Plain English text is passed whole: the tokenizer cuts it as `words()` does, and much faster. */
function wordsOf(payload: string): string {
  const texts = payloadTexts(payload)
  const text = texts.join(' ')
  return !isOdd.test(text) && !hasLongRun(text) ? text : [...words(texts)].join(' ')
}

const isOdd = /[^\n\r\t -~]/

/** Whether a text has a run of more than 64 letters and digits, which `words()` leaves out: it covers a multiple of 64. */
function hasLongRun(text: string): boolean {
  for (let at = 0; at < text.length; at += 64) {
    let [from, to] = [at, at]
    while (isAsciiWord(text.charCodeAt(from))) from--
    while (isAsciiWord(text.charCodeAt(to))) to++
    if (to - from > 65) return true
  }
  return false
}

interface PayloadRow {
  readonly place: number
  readonly payload: string
}
