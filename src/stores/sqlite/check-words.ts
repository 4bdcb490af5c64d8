import { checksum } from '../checksum.ts'
import { payloadTexts } from '../payload-texts.ts'
import { words } from '../words.ts'
import type { Connection } from './connection.ts'

/**
 * Finds the entries that are not indexed by exactly their words. It compares sums of word checksums: one number for each
 * entry instead of a list.
 */
export function checkWords(connection: Connection): string[] {
  const sums = new Map<number, number>()
  const add = (place: number, sum: number) => sums.set(place, (sums.get(place) ?? 0) + sum)
  connection.exec('CREATE VIRTUAL TABLE temp.found USING fts5vocab (main, words, instance)')
  try {
    const rows = connection.iterate<{ term: string; doc: number }>('SELECT term, doc FROM temp.found')
    for (const { term, doc } of rows) add(doc, checksum([term]))
  } finally {
    connection.exec('DROP TABLE temp.found')
  }
  const sql = `SELECT place, seq, entries.branch_id AS branchId, payload FROM entries
    LEFT JOIN waiting ON waiting.branch_id = entries.branch_id WHERE after IS NULL OR seq <= after`
  const problems: string[] = []
  for (const { place, seq, branchId, payload } of connection.iterate<Row>(sql)) {
    for (const word of words(payloadTexts(payload))) add(place, -checksum([word]))
    if (sums.get(place))
      problems.push(`entry ${seq} of branch ${branchId} is not in the word index as it should be`)
    sums.delete(place)
  }
  if (sums.size > 0) problems.push(`the word index has ${sums.size} entries that are not there`)
  return problems
}

interface Row {
  readonly place: number
  readonly seq: number
  readonly branchId: number
  readonly payload: string
}
