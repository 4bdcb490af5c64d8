import { payloadTexts } from '../payload-texts.ts'
import { StoreError, type StoreProblem } from '../store-error.ts'
import { words } from '../words.ts'
import type { Connection } from './connection.ts'
import { maxSeq, placeOf } from './schema.ts'

/**
 * Which words stand in which entries: an index without the texts, their places or counts. Words are cut by `words()`,
 * the tokenizer only has to split at spaces. New entries wait and go in together (index-queue.ts): `waiting` has the
 * branches that have such entries, and the place after which they begin. The table is there = every other entry is in.
 */
export function createWordIndex(connection: Connection): void {
  connection.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = ascii);
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    DELETE FROM waiting`)
  const sql = 'SELECT place FROM entries WHERE place > ? ORDER BY place LIMIT 256'
  for (let places = placesOf(connection, sql, 0); places.length > 0; ) {
    addPlaces(connection, places)
    places = placesOf(connection, sql, places.at(-1)!)
  }
}

/** Moves what waits into the index. */
export function indexWaiting(connection: Connection): void {
  addPlaces(connection, placesOf(connection, `SELECT place ${waitingSql}`))
  connection.run('DELETE FROM waiting')
}

/**
 * The log comes first: an entry that cannot be indexed, whatever the reason, is left out and does not stop the others.
 * `check` finds it, and makes the index anew where it is told to.
 */
function addPlaces(connection: Connection, places: readonly number[]): void {
  const add = (place: number) => {
    const text = wordsOf(payloadAt(connection, place))
    if (text !== '') connection.run('INSERT INTO words (rowid, text) VALUES (?, ?)', place, text)
  }
  if (attempt(connection, () => places.forEach(add))) return
  for (const place of places) attempt(connection, () => add(place))
}

/** Whether it was done. Nothing of it is left where it was not; where the disk is the reason, nothing else can be done either. */
function attempt(connection: Connection, work: () => void): boolean {
  connection.exec('SAVEPOINT attempt')
  try {
    work()
    // The index keeps what it has to write until another savepoint begins: its errors belong here, not to the commit.
    connection.exec('SAVEPOINT written; RELEASE attempt')
    return true
  } catch (error) {
    if (error instanceof StoreError && ofTheDisk.includes(error.code as StoreProblem)) throw error
    connection.exec('ROLLBACK TO attempt; RELEASE attempt')
    return false
  }
}

const ofTheDisk: readonly StoreProblem[] = ['store_full', 'store_io', 'store_busy', 'store_read_only']

export function dropWordIndex(connection: Connection): void {
  connection.exec('DROP TABLE words; DELETE FROM waiting')
}

/** Also one that is damaged. */
export function rebuildWordIndex(connection: Connection): void {
  dropWordIndex(connection)
  createWordIndex(connection)
}

export function hasWordIndex(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'words'") !== undefined
}

/** Not every build of SQLite has it. */
export function canIndexWords(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined
}

/** By place: the index takes rows in this order without a pause. */
export const unindexed = (connection: Connection) =>
  connection.all<Row>(`SELECT place, payload ${waitingSql}`)

const waitingSql = `FROM waiting CROSS JOIN entries
  ON place > (waiting.branch_id << 24) + after AND place <= (waiting.branch_id << 24) + ${maxSeq}
  ORDER BY waiting.branch_id, place`

/** An index without texts must be told what to forget. Whether it could: else it must be made anew. */
export function forgetEntries(connection: Connection, branchId: number): boolean {
  const row = connection.get<{ after: number }>('SELECT after FROM waiting WHERE branch_id = ?', branchId)
  const ends = [placeOf(branchId, 0), placeOf(branchId, row?.after ?? maxSeq)]
  const places = placesOf(connection, 'SELECT place FROM entries WHERE place BETWEEN ? AND ?', ...ends)
  connection.run('DELETE FROM waiting WHERE branch_id = ?', branchId)
  return attempt(connection, () => {
    for (const place of places) {
      const text = wordsOf(payloadAt(connection, place))
      if (text !== '')
        connection.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", place, text)
    }
  })
}

const placesOf = (connection: Connection, sql: string, ...values: number[]) =>
  connection.all<{ place: number }>(sql, ...values).map(({ place }) => place)

const payloadAt = (connection: Connection, place: number) =>
  connection.get<Row>('SELECT place, payload FROM entries WHERE place = ?', place)!.payload

/** Every word quoted, so that none is an operator. */
export const toMatch = (wanted: readonly string[]) => wanted.map(word => `"${word}"`).join(' ')

/** The tokenizer cuts plain English text as `words()` does, and much faster. */
function wordsOf(payload: string): string {
  const texts = payloadTexts(payload)
  const text = texts.join(' ')
  return !isOdd.test(text) && !hasLongRun(text) ? text : [...words(texts)].join(' ')
}

const isOdd = /[^\n\r\t -~]/
const isPart = (code: number) =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

/** Of more than 64 letters and digits, which `words()` leaves out: every such run covers a multiple of 64. */
function hasLongRun(text: string): boolean {
  for (let at = 0; at < text.length; at += 64) {
    let [from, to] = [at, at]
    while (isPart(text.charCodeAt(from))) from--
    while (isPart(text.charCodeAt(to))) to++
    if (to - from > 65) return true
  }
  return false
}

interface Row {
  readonly place: number
  readonly payload: string
}
