import type { NewEntry, StoredEntry, StoredTurn } from '@throughline/stores/store'

/** The end of what is stored: the place of its last entry, and the number of its last turn. */
export type PastEnd = Pick<StoredEntry, 'seq' | 'turn'>

/** A closed turn of what was said elsewhere: `completed` if the model spoke; none where no user did. */
export function toPastTurn(entries: readonly NewEntry[], after: PastEnd) {
  const isTurn = entries.some(({ role }) => role === 'user')
  const number = isTurn ? after.turn + 1 : 0
  const placed = entries.map((entry, at) => ({ ...entry, seq: after.seq + 1 + at, turn: number }))
  const last = after.seq + entries.length
  if (!isTurn) return { entries: placed, turn: undefined, end: { seq: last, turn: after.turn } }
  const status = entries.some(({ role }) => role === 'assistant') ? 'completed' : 'interrupted'
  const turn: StoredTurn = {
    turn: number,
    status,
    first: after.seq + 1,
    last,
    startedAt: entries[0]!.time,
    endedAt: entries.at(-1)!.time,
  }
  return { entries: placed, turn, end: { seq: last, turn: number } }
}

/** Whether a message begins a turn: one of the user, behind one that is not. */
export const beginsTurn = (role: string, before: string | undefined): boolean =>
  role === 'user' && before !== 'user'

export function toPastTurns(entries: readonly NewEntry[], after: PastEnd) {
  const all = { entries: [] as StoredEntry[], turns: [] as StoredTurn[] }
  let end = after
  let some: NewEntry[] = []
  const close = () => {
    const past = toPastTurn(some, end)
    for (const entry of past.entries) all.entries.push(entry)
    if (past.turn) all.turns.push(past.turn)
    end = past.end
    some = []
  }
  for (const entry of entries) {
    if (some.length > 0 && beginsTurn(entry.role, some.at(-1)!.role)) close()
    some.push(entry)
  }
  if (some.length > 0) close()
  return all
}
