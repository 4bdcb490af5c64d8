import type { Role } from '../../log/message.ts'
import type { NewEntry, StoredEntry } from '../store.ts'
import { CorruptEntryError, TooLargeError } from '../store-error.ts'
import { type BranchRow, type Segment, segmentsOf } from './branch-rows.ts'
import type { Connection } from './connection.ts'
import type { IndexQueue } from './index-queue.ts'
import { isSound, rowSum, type Summed } from './row-sums.ts'
import { maxSeq, placeOf } from './schema.ts'

/** The given entries that are new to the branch and its shared past, each once. */
export function newOnes(connection: Connection, branch: BranchRow, entries: readonly NewEntry[]): NewEntry[] {
  const seen = new Set<string>()
  const segments = entries.length > 0 ? segmentsOf(connection, branch) : []
  return entries.filter(({ id }) => {
    if (seen.has(id) || seqOf(connection, segments, id) !== undefined) return false
    seen.add(id)
    return true
  })
}

/** The place of an entry in the branch or its shared past. */
export function seqOf(connection: Connection, segments: readonly Segment[], id: string): number | undefined {
  for (const { branchId, to } of segments) {
    const sql = 'SELECT seq FROM entries WHERE branch_id = ? AND id = ?'
    const row = connection.get<{ seq: number }>(sql, branchId, id)
    if (row && row.seq <= to) return row.seq
  }
  return undefined
}

/** Writes entries after the head, in the order given, and returns the new head. The caller saves the branch's row. */
export function insertEntries(
  connection: Connection,
  branch: { readonly id: number; readonly head: number },
  turn: number,
  entries: readonly NewEntry[],
  queue: IndexQueue | undefined,
): number {
  let { head } = branch
  for (const entry of entries) insertEntry(connection, branch.id, ++head, turn, entry, queue)
  return head
}

export function insertEntry(
  connection: Connection,
  branchId: number,
  seq: number,
  turn: number,
  { id, role, time, payload, tokens }: NewEntry,
  queue: IndexQueue | undefined,
): void {
  if (seq > maxSeq) throw new TooLargeError('The branch', seq, maxSeq, 'entries')
  const place = placeOf(branchId, seq)
  const row = { place, id, turn, role, time, tokens: JSON.stringify(tokens), payload }
  connection.run(insertSql, place, id, turn, role, time, row.tokens, rowSum('entries', row), payload)
  queue?.add(connection, branchId, seq, payload)
}

const insertSql =
  'INSERT INTO entries (place, id, turn, role, time, tokens, checksum, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)'

export interface EntryRow extends Summed<'entries'> {
  readonly place: number
  readonly branch_id: number
  readonly seq: number
  readonly id: string
  readonly turn: number
  readonly role: string
  readonly time: number
  readonly tokens: string
  readonly payload: string
  readonly checksum: number
}

const roles: ReadonlySet<string> = new Set<Role>(['system', 'user', 'assistant', 'tool', 'assistant_note'])

/** Reads a row; throws where it cannot be what was written. */
export function toEntry(row: EntryRow, thread: string): StoredEntry {
  const { seq, id, turn, role, time, tokens, payload } = row
  if (!isSound('entries', row))
    throw new CorruptEntryError(thread, seq, 'it is not what was stored, its checksum differs')
  if (!roles.has(role)) throw new CorruptEntryError(thread, seq, `its role is "${role}"`)
  if (typeof payload !== 'string') throw new CorruptEntryError(thread, seq, 'its payload is no text')
  try {
    return { id, role: role as Role, time, payload, tokens: JSON.parse(tokens), seq, turn }
  } catch (error) {
    throw new CorruptEntryError(thread, seq, 'its token counts are no JSON', { cause: error })
  }
}
