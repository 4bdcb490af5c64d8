import { type Role, roles } from '@throughline/core/messages'
import type { EntryRange, NewEntry, StoredEntry } from '../store.ts'
import { CorruptEntryError, NoConversationError, nameOf, TooLargeError } from '../store-error.ts'
import type { Connection } from './connection.ts'
import type { BranchRow, Segment } from './conversation-rows.ts'
import { branchById, conversationById, segmentsOf } from './conversation-rows.ts'
import { type Checked, insertRow, isSound, type RowOf } from './rows.ts'
import { maxSeq, placeOf } from './schema.ts'
import { isConstraint } from './sqlite-error.ts'
import { queueEntry } from './word-index.ts'

export type EntryRow = RowOf<'entries'> &
  Checked & { readonly branch_id: number; readonly seq: number }

/** Writes entries that branch and past do not have; returns the head. The caller saves the branch's row. */
export function addEntries(
  connection: Connection,
  branch: BranchRow,
  turn: number,
  entries: readonly NewEntry[],
  isIndexed: boolean,
): number {
  const past =
    branch.parent_id === null || entries.length === 0 ? [] : segmentsOf(connection, branch)
  let { head } = branch
  for (const entry of entries) {
    if (seqOf(connection, past, entry.id) !== undefined) continue
    if (insertNew(connection, branch.id, { ...entry, seq: head + 1, turn }, isIndexed)) head++
  }
  return head
}

/** Inserts an entry unless its branch has it. It is not looked up first: SQLite refuses a second one with its id. */
function insertNew(
  connection: Connection,
  branchId: number,
  entry: StoredEntry,
  isIndexed: boolean,
) {
  try {
    insertEntry(connection, branchId, entry)
  } catch (error) {
    const segment = { branchId, from: 1, to: maxSeq }
    if (isConstraint(error) && seqOf(connection, [segment], entry.id) !== undefined) return false
    throw error
  }
  if (isIndexed) queueEntry(connection, branchId, entry)
  return true
}

/** The place of an entry in the branch or its shared past. */
export function seqOf(
  connection: Connection,
  segments: readonly Segment[],
  id: string,
): number | undefined {
  for (const { branchId, to } of segments) {
    const sql = 'SELECT seq FROM entries WHERE branch_id = ? AND id = ?'
    const row = connection.get<{ seq: number }>(sql, branchId, id)
    if (row && row.seq <= to) return row.seq
  }
  return undefined
}

export function insertEntry(
  connection: Connection,
  branchId: number,
  { id, role, time, payload, tokens, seq, turn }: StoredEntry,
): void {
  if (seq > maxSeq) throw new TooLargeError('The branch', seq, maxSeq, 'entries')
  const place = placeOf(branchId, seq)
  insertRow(connection, 'entries', {
    place,
    id,
    turn,
    role,
    time,
    tokens: JSON.stringify(tokens),
    payload,
  })
}

/** Reads a row; throws where it cannot be what was written. */
export function toEntry(row: EntryRow, thread: string): StoredEntry {
  const { seq, id, turn, role, time, tokens, payload } = row
  if (!isSound('entries', row))
    throw new CorruptEntryError(thread, seq, 'it is not what was stored, its checksum differs')
  if (!(roles as readonly string[]).includes(role))
    throw new CorruptEntryError(thread, seq, `its role is "${role}"`)
  if (typeof payload !== 'string')
    throw new CorruptEntryError(thread, seq, 'its payload is no text')
  try {
    return { id, role: role as Role, time, payload, tokens: JSON.parse(tokens), seq, turn }
  } catch (error) {
    throw new CorruptEntryError(thread, seq, 'its token counts are no JSON', { cause: error })
  }
}

/** The rows of a range, across forks. A gap is an error. */
export function* readEntries(
  connection: Connection,
  branch: BranchRow,
  { from = 1, to = branch.head, reverse = false, limit = Number.POSITIVE_INFINITY }: EntryRange,
): Generator<EntryRow> {
  const segments = segmentsOf(connection, branch)
  let left = limit
  for (const { branchId, ...segment } of reverse ? segments.reverse() : segments) {
    let [first, last] = [Math.max(from, segment.from), Math.min(to, segment.to)]
    while (left > 0 && first <= last) {
      const page = readPage(connection, { branchId, from: first, to: last }, reverse, left)
      for (const row of page.length === 0 ? [undefined] : page) {
        const due = reverse ? last-- : first++
        // Comparing seq alone is not enough: a misplaced page has entries of another branch.
        if (row?.place !== placeOf(branchId, due)) throw missing(connection, branch, branchId, due)
        yield row
        left--
      }
    }
  }
}

const pageRows = 256
const pageCharacters = 1_000_000

/** A page at once, as an open statement keeps SQLite from tidying up; bounded in characters too. */
function readPage(
  connection: Connection,
  { branchId, from, to }: Segment,
  reverse: boolean,
  limit: number,
) {
  const page: EntryRow[] = []
  let characters = 0
  const sql = `SELECT * FROM entries WHERE place BETWEEN ? AND ? ORDER BY place ${reverse ? 'DESC' : 'ASC'} LIMIT ?`
  const values = [placeOf(branchId, from), placeOf(branchId, to), Math.min(limit, pageRows)]
  for (const row of connection.iterate<EntryRow>(sql, ...values)) {
    page.push(row)
    // A damaged row may have no payload.
    characters += row.payload?.length ?? 0
    if (characters > pageCharacters) break
  }
  return page
}

function missing(connection: Connection, reader: BranchRow, branchId: number, seq: number): Error {
  const branch = branchById(connection, branchId)
  const { tenant = '', conversation = '' } =
    conversationById(connection, reader.conversation_id) ?? {}
  // The conversation was deleted between two pages.
  if (!branch) return new NoConversationError(conversation, true)
  return new CorruptEntryError(nameOf({ ...branch, tenant, conversation }), seq, 'it is missing')
}
