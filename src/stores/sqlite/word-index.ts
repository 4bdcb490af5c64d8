import { payloadTexts } from '../payload-texts.ts'
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
  for (const { place, payload } of connection.iterate<Row>(
    'SELECT place, payload FROM entries ORDER BY place',
  ))
    addWords(connection, place, payload)
}

export function dropWordIndex(connection: Connection): void {
  connection.exec('DROP TABLE words; DELETE FROM waiting')
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
  connection.all<Row>(`SELECT place, payload FROM waiting CROSS JOIN entries
    ON place > (waiting.branch_id << 24) + after AND place <= (waiting.branch_id << 24) + ${maxSeq}
    ORDER BY waiting.branch_id, place`)

/** An index without texts must be told what to forget. */
export function forgetEntries(connection: Connection, branchId: number): void {
  const row = connection.get<{ after: number }>('SELECT after FROM waiting WHERE branch_id = ?', branchId)
  const places = [placeOf(branchId, 0), placeOf(branchId, row?.after ?? maxSeq)]
  const sql = 'SELECT place, payload FROM entries WHERE place BETWEEN ? AND ?'
  for (const { place, payload } of connection.iterate<Row>(sql, ...places)) {
    const text = wordsOf(payload)
    if (text !== '')
      connection.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", place, text)
  }
  connection.run('DELETE FROM waiting WHERE branch_id = ?', branchId)
}

export function hasWords(payload: string, wanted: readonly string[]): boolean {
  const has = new Set(payloadTexts(payload).flatMap(words))
  return wanted.every(word => has.has(word))
}

/** Every word quoted, so that none is an operator. */
export const toMatch = (wanted: readonly string[]) => wanted.map(word => `"${word}"`).join(' ')

export function addWords(connection: Connection, place: number, payload: string): void {
  const text = wordsOf(payload)
  if (text !== '') connection.run('INSERT INTO words (rowid, text) VALUES (?, ?)', place, text)
}

/** The tokenizer cuts plain English text as `words()` does, and much faster. */
function wordsOf(payload: string): string {
  const texts = payloadTexts(payload)
  const text = texts.join(' ')
  return isPlain.test(text) && !hasLongRun(text) ? text : [...new Set(texts.flatMap(words))].join(' ')
}

const isPlain = /^[\n\r\t -~]*$/
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
