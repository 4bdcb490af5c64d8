import type { SentRow } from '../../api/timeline.ts'
import { entryOf, type RecallSource } from '../../parts/sent-rows.ts'

/** What was brought back for a message. */
export interface BroughtEntries {
  /** Of its own conversation. */
  readonly entries: readonly number[]
  /** Of other conversations. */
  readonly sources: readonly RecallSource[]
}

/** The entries that a call brought back, by message: a block stands before the message that it was recalled for. */
export function broughtOf(rows: readonly SentRow[]): ReadonlyMap<number, BroughtEntries> {
  const bySeq = new Map<number, BroughtEntries>()
  let entries: number[] = []
  let sources: RecallSource[] = []
  for (const row of rows) {
    const seq = entryOf(row)
    for (const { part, standsFor } of [row, ...(row.joined ?? [])])
      if (part === 'recall') for (const entry of standsFor) entries.push(entry)
    for (const source of row.sources ?? []) sources.push(source)
    if (row.role === 'user' && seq !== undefined && entries.length + sources.length > 0) {
      bySeq.set(seq, { entries: entries.toSorted((a, b) => a - b), sources })
      entries = []
      sources = []
    }
  }
  return bySeq
}
