import { payloadTexts } from '../payload-texts.ts'
import { words } from '../words.ts'
import type { Connection } from './connection.ts'

/**
 * Which words stand in which entries: an index without the texts, their places or counts. Words are cut by `words()`,
 * the tokenizer only has to split at spaces. Small entries wait in `unindexed` and go in together: one at a time, the
 * index would cost more than the log. The tables are there = every entry is in one of them.
 */
export function createWordIndex(connection: Connection): void {
  connection.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = ascii);
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1);
    CREATE TABLE unindexed (place INTEGER PRIMARY KEY)`)
  for (const { place, payload } of connection.iterate<Row>(
    'SELECT place, payload FROM entries ORDER BY place',
  ))
    addWords(connection, place, payload)
}

export function dropWordIndex(connection: Connection): void {
  connection.exec('DROP TABLE words; DROP TABLE unindexed')
}

export function hasWordIndex(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'words'") !== undefined
}

/** Not every build of SQLite has it. */
export function canIndexWords(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined
}

const batch = 256
const smallCharacters = 32_000

export function indexEntry(connection: Connection, place: number, payload: string): void {
  if (payload.length > smallCharacters) return addWords(connection, place, payload)
  connection.run('INSERT INTO unindexed VALUES (?)', place)
  if (connection.get<{ n: number }>('SELECT count(*) AS n FROM unindexed')!.n < batch) return
  for (const row of unindexed(connection)) addWords(connection, row.place, row.payload)
  connection.run('DELETE FROM unindexed')
}

export const unindexed = (connection: Connection) =>
  connection.all<Row>('SELECT place, payload FROM unindexed JOIN entries USING (place) ORDER BY place')

/** An index without texts must be told what to forget. */
export function forgetEntries(connection: Connection, first: number, last: number): void {
  const sql = `SELECT place, payload FROM entries WHERE place BETWEEN ? AND ? AND place NOT IN (SELECT place FROM unindexed)`
  for (const { place, payload } of connection.iterate<Row>(sql, first, last)) {
    const text = wordsOf(payload)
    if (text !== '')
      connection.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", place, text)
  }
  connection.run('DELETE FROM unindexed WHERE place BETWEEN ? AND ?', first, last)
}

export function hasWords(payload: string, wanted: readonly string[]): boolean {
  const has = new Set(payloadTexts(payload).flatMap(words))
  return wanted.every(word => has.has(word))
}

/** Every word quoted, so that none is an operator. */
export const toMatch = (wanted: readonly string[]) => wanted.map(word => `"${word}"`).join(' ')

function addWords(connection: Connection, place: number, payload: string): void {
  const text = wordsOf(payload)
  if (text !== '') connection.run('INSERT INTO words (rowid, text) VALUES (?, ?)', place, text)
}

const wordsOf = (payload: string) => [...new Set(payloadTexts(payload).flatMap(words))].join(' ')

interface Row {
  readonly place: number
  readonly payload: string
}
