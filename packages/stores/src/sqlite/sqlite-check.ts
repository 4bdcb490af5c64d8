import { ThroughlineError } from '@throughline/core/errors'
import { checksum } from '../checksum.ts'
import { payloadTexts, words } from '../words.ts'
import type { Connection } from './connection.ts'
import type { EntryRow } from './entry-rows.ts'
import { isSound, type TableName, tables } from './rows.ts'
import { rebuildWordIndex } from './word-index.ts'

/** Reads the whole file and lists what is wrong with it. With `rebuild`, a wrong word index is made anew. */
export function checkFile(
  connection: Connection,
  { isIndexed, rebuild = false }: { readonly isIndexed: boolean; readonly rebuild?: boolean },
): string[] {
  const broken = reported(() =>
    connection
      .all<{ integrity_check: string }>('PRAGMA integrity_check')
      .map(row => row.integrity_check)
      .filter(text => text !== 'ok'),
  )
  const foreign = reported(() =>
    connection
      .all<{ table: string; parent: string }>('PRAGMA foreign_key_check')
      .map(row => `a row of ${row.table} points at a row of ${row.parent} that is not there`),
  )
  const rules = checks.flatMap(sql =>
    reported(() => connection.all<{ problem: string }>(sql).map(row => row.problem)),
  )
  const changed = tables.flatMap(table => reported(() => [...changedRows(connection, table)]))
  const index = isIndexed ? reported(() => checkWords(connection)) : []
  if (rebuild && index.length > 0) connection.write(() => rebuildWordIndex(connection))
  return [...broken, ...foreign, ...rules, ...changed, ...index]
}

/** Rows whose checksums differ. Caches are left out: a damaged one is rebuilt when it is needed. */
function* changedRows(connection: Connection, table: TableName): Generator<string> {
  for (const row of connection.iterate<Parameters<typeof isSound>[1]>(`SELECT * FROM ${table}`)) {
    if (!isSound(table, row as never))
      yield `${nameOf(table, row)} has changed since it was written`
  }
}

function nameOf(table: TableName, row: object): string {
  const { seq, branch_id: branch, turn, id } = row as Readonly<Record<string, unknown>>
  if (table === 'entries') return `entry ${seq} of branch ${branch}`
  if (table === 'turns') return `turn ${turn} of branch ${branch}`
  return `row ${id} of ${table}`
}

/** Finds entries not indexed by exactly their words, by sums of word checksums: one number an entry. */
function checkWords(connection: Connection): string[] {
  const sums = new Map<number, number>()
  const add = (place: number, sum: number) => sums.set(place, (sums.get(place) ?? 0) + sum)
  connection.exec('CREATE VIRTUAL TABLE temp.terms USING fts5vocab (main, words, instance)')
  try {
    const rows = connection.iterate<{ term: string; doc: number }>(
      'SELECT term, doc FROM temp.terms',
    )
    for (const { term, doc } of rows) add(doc, checksum([term]))
  } finally {
    connection.exec('DROP TABLE temp.terms')
  }
  const sql = `SELECT entries.* FROM entries
    LEFT JOIN waiting ON waiting.branch_id = entries.branch_id WHERE after IS NULL OR seq <= after`
  const problems: string[] = []
  for (const { place, seq, branch_id: branch, payload } of connection.iterate<EntryRow>(sql)) {
    for (const word of words(payloadTexts(payload))) add(place, -checksum([word]))
    if (sums.get(place))
      problems.push(`entry ${seq} of branch ${branch} is not in the word index as it should be`)
    sums.delete(place)
  }
  if (sums.size > 0) problems.push(`the word index has ${sums.size} entries that are not there`)
  return problems
}

/** Reports an unreadable part as a problem, so that later checks still run. */
function reported(look: () => string[]): string[] {
  try {
    return look()
  } catch (error) {
    if (error instanceof ThroughlineError) return [error.message]
    throw error
  }
}

const of = `'branch ' || branches.id || ' ("' || branches.branch || '") '`

const checks: readonly string[] = [
  // The row of a branch with an open turn is older than its last entries.
  `SELECT ${of} || 'should have entries ' || (fork_at + 1) || ' to ' || head || ', but has ' || count(place) ||
     ', from ' || ifnull(min(seq), '-') || ' to ' || ifnull(max(seq), '-') AS problem
   FROM branches LEFT JOIN entries ON place BETWEEN (branches.id << 24) AND (branches.id << 24) + 16777215
   GROUP BY branches.id
   HAVING ifnull(max(seq), fork_at) < head OR (ifnull(max(seq), fork_at) > head AND open_turn IS NULL)
     OR count(place) <> ifnull(max(seq), fork_at) - fork_at OR min(seq) <= fork_at`,
  `SELECT 'entry ' || seq || ' belongs to branch ' || branch_id || ', which is not there' AS problem
   FROM entries WHERE branch_id NOT IN (SELECT id FROM branches)`,
  `SELECT ${of} || 'entry ' || seq || ' has token counts that are no JSON' AS problem
   FROM entries JOIN branches ON branches.id = branch_id WHERE NOT json_valid(tokens)`,
  `SELECT ${of} || 'entry ' || seq || ' says turn ' || entries.turn || ', where it has no place' AS problem
   FROM entries JOIN branches ON branches.id = entries.branch_id
   LEFT JOIN turns ON turns.branch_id = branches.id AND turns.turn = entries.turn
   WHERE entries.turn <> 0 AND (turns.turn IS NULL OR seq < first OR (status <> 'open' AND seq > last))`,
  `SELECT ${of} || 'was forked at ' || branches.fork_at || ', past the end of its parent' AS problem
   FROM branches JOIN branches AS parents ON parents.id = branches.parent_id WHERE branches.fork_at > parents.head`,
  `SELECT ${of} || 'has turn ' || ifnull(open_turn, 'none') || ' open, but its turns say otherwise' AS problem
   FROM branches LEFT JOIN turns ON branch_id = branches.id AND status = 'open' WHERE open_turn IS NOT turns.turn`,
  `SELECT ${of} || 'should have turns up to ' || branches.turns || ', but they end at ' || max(turn) AS problem
   FROM branches JOIN turns ON branch_id = branches.id GROUP BY branches.id
   HAVING max(turn) <> branches.turns OR count(*) <> max(turn) - min(turn) + 1`,
  `SELECT ${of} || 'has words waiting after ' || after || ', past its end' AS problem
   FROM waiting JOIN branches ON branches.id = branch_id WHERE after > head AND open_turn IS NULL`,
  `SELECT ${of} || 'is left of a conversation that was deleted' AS problem
   FROM branches JOIN conversations ON conversations.id = conversation_id WHERE deleted_at IS NOT NULL`,
]
