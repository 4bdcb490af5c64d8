import type { NewEntry, StoredEntry, ThreadKey } from '../store.ts'
import { wordHashes } from './word-hashes.ts'

export type ToRecords = (thread: ThreadKey, entries: readonly (NewEntry | StoredEntry)[]) => Records

export interface Records {
  readonly count: number
  /** One text for all entries of a call. */
  readonly json: string
}

/** Entries as the functions of the schema take them, each id once; with their words where they are to be found by them. */
export const toRecords =
  (isIndexed: boolean): ToRecords =>
  ({ tenant }, entries) => {
    const seen = new Set<string>()
    const once = entries.filter(({ id }) => !seen.has(id) && seen.add(id))
    const records = once.map(entry => ({
      id: entry.id,
      role: entry.role,
      time: entry.time,
      tokens: JSON.stringify(entry.tokens),
      ...(isIndexed && { words: wordHashes(tenant, entry.payload) }),
      payload: entry.payload,
      ...('seq' in entry && { seq: entry.seq, turn: entry.turn }),
    }))
    return { count: once.length, json: JSON.stringify(records) }
  }
