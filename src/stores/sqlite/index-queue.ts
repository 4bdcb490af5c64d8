import type { Connection } from './connection.ts'
import { maxSeq } from './schema.ts'
import { indexWaiting } from './word-index.ts'

export interface IndexQueue {
  /** Adds an entry in the transaction that inserted it. */
  add(connection: Connection, branchId: number, seq: number, payload: string): void
  /** Forgets the counts in memory: a transaction was rolled back, or a conversation deleted. */
  forget(): void
}

interface Waiting {
  readonly branches: Set<number>
  entries: number
  characters: number
}

/**
 * Entries are indexed in batches: one by one they would cost more in the index than in the log. The file has a row for
 * each branch with waiting entries, not for each entry, so that most appends write nothing here; how many wait is counted
 * in memory. The limits are there because search reads waiting entries word by word.
 */
export function createIndexQueue({ maxEntries = 256, maxCharacters = 256_000 } = {}): IndexQueue {
  let waiting: Waiting | undefined
  return {
    add(connection, branchId, seq, payload) {
      waiting ??= load(connection, branchId, seq)
      if (!waiting.branches.has(branchId)) {
        connection.run('INSERT INTO waiting (branch_id, after) VALUES (?, ?)', branchId, seq - 1)
        waiting.branches.add(branchId)
      }
      waiting.entries++
      waiting.characters += payload.length
      if (waiting.entries < maxEntries && waiting.characters < maxCharacters) return
      indexWaiting(connection)
      waiting = { branches: new Set(), entries: 0, characters: 0 }
    },
    forget() {
      waiting = undefined
    },
  }
}

/** Counts what waited before the entry that is being added. */
function load(connection: Connection, branchId: number, seq: number): Waiting {
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
