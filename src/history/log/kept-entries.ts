import { freeze } from '../../state/freeze.ts'
import type { StoredEntry } from '../../stores/store.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { fromEntry, type LoggedMessage } from './logged-message.ts'

/** What was read of the entries that are kept in memory, and by which counter. */
const kept = new WeakMap<StoredEntry, { readonly counter: string; readonly logged: LoggedMessage } | null>()

/** A copy of an entry to be given out more than once. It is frozen. */
export function keptEntry(entry: StoredEntry): StoredEntry {
  const copy = Object.freeze({ ...entry, tokens: Object.freeze({ ...entry.tokens }) })
  kept.set(copy, null)
  return copy
}

/** Reads an entry back. Of a kept one the message is the same object each time, and frozen. */
export function readEntry(entry: StoredEntry, thread: string, count: TokenCounter): LoggedMessage {
  const cached = kept.get(entry)
  if (cached?.counter === count.id) return cached.logged
  const logged = fromEntry(entry, thread, count)
  if (cached === null) kept.set(entry, { counter: count.id, logged: freeze(logged) })
  return logged
}
