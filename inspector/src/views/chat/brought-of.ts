import type { SentRow } from '../../api/timeline.ts'
import { entryOf } from '../../parts/sent-rows.ts'

/** What was brought back for which message, by what a call was sent: a block stands before the message that asked for it. */
export function broughtOf(rows: readonly SentRow[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, readonly number[]>()
  let waiting: number[] = []
  for (const row of rows) {
    const seq = entryOf(row)
    for (const { part, standsFor } of [row, ...(row.joined ?? [])])
      if (part === 'recall') for (const entry of standsFor) waiting.push(entry)
    if (row.role === 'user' && seq !== undefined && waiting.length > 0) {
      found.set(
        seq,
        waiting.toSorted((a, b) => a - b),
      )
      waiting = []
    }
  }
  return found
}
