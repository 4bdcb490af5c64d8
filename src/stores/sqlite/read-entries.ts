import { nameOf } from '../refusals.ts'
import type { EntryRange } from '../store.ts'
import { CorruptEntryError, NoConversationError } from '../store-error.ts'
import { type BranchRow, branchById, type Segment, segmentsOf } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import { conversationById } from './conversation-rows.ts'
import type { EntryRow } from './entry-rows.ts'
import { placeOf } from './schema.ts'

/** The rows of a range, across forks. A gap is an error. */
export function* readEntries(
  connection: Connection,
  branch: BranchRow,
  range: EntryRange,
): Generator<EntryRow> {
  const { from = 1, to = branch.head, reverse = false, limit = Number.POSITIVE_INFINITY } = range
  const segments = segmentsOf(connection, branch)
  let left = limit
  for (const { branchId, ...segment } of reverse ? segments.reverse() : segments) {
    const part = { branchId, from: Math.max(from, segment.from), to: Math.min(to, segment.to) }
    for (const row of readSegment(connection, branch, part, reverse, left)) {
      yield row
      left--
    }
  }
}

function* readSegment(
  connection: Connection,
  reader: BranchRow,
  segment: Segment,
  reverse: boolean,
  limit: number,
): Generator<EntryRow> {
  let { from, to } = segment
  for (let left = Math.min(limit, to - from + 1); left > 0; ) {
    const page = readPage(connection, { ...segment, from, to }, reverse, left)
    if (page.length === 0) throw missing(connection, reader, segment.branchId, reverse ? to : from)
    for (const row of page) {
      const due = reverse ? to : from
      // Comparing seq alone is not enough: a misplaced page has entries of another branch.
      if (row.place !== placeOf(segment.branchId, due))
        throw missing(connection, reader, segment.branchId, due)
      yield row
      if (reverse) to--
      else from++
      left--
    }
  }
}

const pageRows = 256
const pageCharacters = 1_000_000

/**
 * Reads a page at once, as an open statement keeps SQLite from tidying up. A page is bounded in characters too: 256 large
 * entries would be gigabytes.
 */
function readPage(
  connection: Connection,
  { branchId, from, to }: Segment,
  reverse: boolean,
  limit: number,
): EntryRow[] {
  const page: EntryRow[] = []
  let characters = 0
  const [sql, first, last] = [
    reverse ? descending : ascending,
    placeOf(branchId, from),
    placeOf(branchId, to),
  ]
  for (const row of connection.iterate<EntryRow>(sql, first, last, Math.min(limit, pageRows))) {
    page.push(row)
    // A damaged row may have no payload.
    characters += row.payload?.length ?? 0
    if (characters > pageCharacters) break
  }
  return page
}

const ascending = 'SELECT * FROM entries WHERE place BETWEEN ? AND ? ORDER BY place LIMIT ?'
const descending = 'SELECT * FROM entries WHERE place BETWEEN ? AND ? ORDER BY place DESC LIMIT ?'

function missing(connection: Connection, reader: BranchRow, branchId: number, seq: number): Error {
  const branch = branchById(connection, branchId)
  const { tenant = '', conversation = '' } = conversationById(connection, reader.conversation_id) ?? {}
  // The conversation was deleted between two pages.
  if (!branch) return new NoConversationError(conversation, true)
  return new CorruptEntryError(nameOf({ ...branch, tenant, conversation }), seq, 'it is missing')
}
