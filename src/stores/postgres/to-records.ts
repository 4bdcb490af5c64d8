import type { NewEntry, StoredEntry, ThreadKey } from '../store.ts'
import { entrySum } from './entry-sum.ts'
import { wordHashes } from './word-hashes.ts'

/** An entry as the schema's functions take it. */
export interface EntryRecord {
  readonly id: string
  readonly role: string
  readonly time: number
  readonly tokens: string
  readonly checksum: number
  readonly words: readonly number[] | null
  readonly payload: string
}

export type ToRecords = (
  thread: ThreadKey,
  entries: readonly (NewEntry | StoredEntry)[],
) => readonly EntryRecord[]

/** Entries as records, each id once, with the hashes of their words where they are indexed. */
export const toRecords =
  (isIndexed: boolean): ToRecords =>
  (thread, entries) => {
    const seen = new Set<string>()
    const once = entries.filter(({ id }) => !seen.has(id) && seen.add(id))
    return once.map(entry => {
      const tokens = JSON.stringify(entry.tokens)
      return {
        id: entry.id,
        role: entry.role,
        time: entry.time,
        checksum: entrySum(thread, entry, tokens),
        tokens,
        words: isIndexed ? wordHashes(thread.tenant, entry.payload) : null,
        payload: entry.payload,
        ...('seq' in entry && { seq: entry.seq, turn: entry.turn }),
      }
    })
  }
