import { payloadTexts } from '../memory/payload-texts.ts'
import { words } from '../memory/words.ts'
import type { Connection } from './connection.ts'

/**
 * Which words stand in which entries: an index without the texts, their places or counts. Words are cut by `words()`,
 * the tokenizer only has to split at spaces. The table is there = every entry is in it.
 */
export function createWordIndex(connection: Connection): void {
  connection.exec(`
    CREATE VIRTUAL TABLE words USING fts5 (text, content = '', detail = none, columnsize = 0, tokenize = ascii);
    INSERT INTO words (words, rank) VALUES ('secure-delete', 1)`)
  for (const { place, payload } of connection.iterate<Row>(
    'SELECT place, payload FROM entries ORDER BY place',
  ))
    indexEntry(connection, place, payload)
}

export function dropWordIndex(connection: Connection): void {
  connection.exec('DROP TABLE words')
}

export function hasWordIndex(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'words'") !== undefined
}

/** Not every build of SQLite has it. */
export function canIndexWords(connection: Connection): boolean {
  return connection.get("SELECT 1 FROM pragma_module_list WHERE name = 'fts5'") !== undefined
}

export function indexEntry(connection: Connection, place: number, payload: string): void {
  const text = wordsOf(payload)
  if (text !== '') connection.run('INSERT INTO words (rowid, text) VALUES (?, ?)', place, text)
}

/** An index without texts must be told what to forget. */
export function forgetEntry(connection: Connection, place: number, payload: string): void {
  const text = wordsOf(payload)
  if (text !== '')
    connection.run("INSERT INTO words (words, rowid, text) VALUES ('delete', ?, ?)", place, text)
}

/** Every word quoted, so that none is an operator. */
export const toMatch = (wanted: readonly string[]) => wanted.map(word => `"${word}"`).join(' ')

const wordsOf = (payload: string) => [...new Set(payloadTexts(payload).flatMap(words))].join(' ')

interface Row {
  readonly place: number
  readonly payload: string
}
