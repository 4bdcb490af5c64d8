import type { RestoreEntries, StoredEntry, StoredTurn } from '../store.ts'
import { ConflictError, KeyReusedError, nameOf, turnOpen } from '../store-error.ts'
import type { BranchState } from './write-rules.ts'

/** The part of a stretch that is not yet stored; throws if the rest differs from the stored part. */
export function planRestore(stored: BranchState, { entries, turns }: RestoreEntries) {
  const { thread } = stored
  const conflict = (expected: number, actual: number) =>
    new ConflictError(nameOf(thread), expected, actual)
  const from = entries[0]?.seq ?? turns[0]?.first ?? stored.head + 1
  if (from > stored.head + 1) throw conflict(from - 1, stored.head)
  const fresh = {
    entries: entries.slice(stored.head + 1 - from),
    turns: turns.filter(({ turn }) => turn > stored.turns),
  }
  compareEntries()
  compareTurns()
  if (fresh.entries.length === 0 && fresh.turns.length === 0) return fresh
  if (stored.open !== undefined) throw turnOpen(thread, stored.open)
  for (const { seq, id } of fresh.entries) {
    const elsewhere = stored.seqOf(id)
    if (elsewhere !== undefined) throw conflict(seq, elsewhere)
  }
  for (const { turn, first, key } of fresh.turns) {
    // The turn would begin among stored entries, but is not stored.
    if (first <= stored.head) throw conflict(first - 1, stored.head)
    if (turn > stored.turns + fresh.turns.length) throw conflict(turn - 1, stored.turns)
    if (key !== undefined && stored.turnByKey(key)) throw new KeyReusedError(key)
  }
  return fresh

  function compareEntries(): void {
    let at = 0
    const to = Math.min(stored.head, from + entries.length - 1)
    for (const entry of to < from ? [] : stored.entries(from, to)) {
      if (!isSameEntry(entry, entries[at++]!)) throw conflict(entry.seq - 1, stored.head)
    }
  }

  function compareTurns(): void {
    const first = turns[0]?.turn ?? stored.turns + 1
    if (first > stored.turns) return
    stored.turnsFrom(first).forEach((turn, n) => {
      if (turns[n] && !isSameTurn(turn, turns[n])) throw conflict(turn.first - 1, stored.head)
    })
  }
}

/** The earliest and the latest time in a stretch; undefined for an empty one. */
export function timesOf({
  entries,
  turns,
}: RestoreEntries): { first: number; last: number } | undefined {
  let [first, last] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  const see = (time: number) => {
    first = Math.min(first, time)
    last = Math.max(last, time)
  }
  for (const { time } of entries) see(time)
  for (const { startedAt, endedAt = startedAt } of turns) {
    see(startedAt)
    see(endedAt)
  }
  return first <= last ? { first, last } : undefined
}

/** Whether two entries are equal, but for token counts: another counter may have counted here. */
function isSameEntry(a: StoredEntry, b: StoredEntry): boolean {
  const isSame = a.id === b.id && a.role === b.role && a.time === b.time && a.turn === b.turn
  return isSame && a.payload === b.payload
}

const fields = ['status', 'first', 'last', 'startedAt', 'endedAt', 'error', 'key', 'body'] as const

const isSameTurn = (a: StoredTurn, b: StoredTurn) => fields.every(field => a[field] === b[field])
