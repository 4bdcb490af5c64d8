import type { SentRow } from '../../api/timeline.ts'

/** What was brought back for which message, by what a call was sent: a block stands before the message that asked for it. */
export function broughtOf(rows: readonly SentRow[]): ReadonlyMap<number, readonly number[]> {
  const found = new Map<number, readonly number[]>()
  let waiting: number[] = []
  for (const { part, role, seq, entries = [] } of rows) {
    if (part === 'recall') for (const entry of entries) waiting.push(entry)
    else if (role === 'user' && seq !== undefined && waiting.length > 0) {
      found.set(
        seq,
        waiting.toSorted((a, b) => a - b),
      )
      waiting = []
    }
  }
  return found
}
