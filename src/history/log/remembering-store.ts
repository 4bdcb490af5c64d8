import { isCount } from '../../log/is-count.ts'
import type { EntryRange, Store, StoredEntry, ThreadKey } from '../../stores/store.ts'
import { keptEntry } from './kept-entries.ts'

export interface RememberOptions {
  readonly mostThreads?: number
  /** The most entries of a thread; up to twice as many until the older half is forgotten. */
  readonly mostEntries?: number
  /** The most characters of all payloads. */
  readonly mostCharacters?: number
}

/**
 * A store that remembers the newest entries that were read: a server compares and continues the same turn with each request of
 * an agent. An entry never changes, so only its existence must be asked for. Each read asks the store for the last entry
 * that is known and all that follow it: what others wrote or deleted meanwhile is seen.
 */
export function rememberingStore(
  store: Store,
  { mostThreads = 256, mostEntries = 1024, mostCharacters = 32 * 1024 ** 2 }: RememberOptions = {},
): Store {
  /** The thread that was read last stands last. */
  const threads = new Map<string, Kept>()
  let size = 0

  function forget(name: string): void {
    for (const entry of threads.get(name)?.entries ?? []) size -= entry.payload.length
    threads.delete(name)
  }

  function touch(name: string, kept = threads.get(name)): void {
    threads.delete(name)
    if (kept) threads.set(name, kept)
  }

  /** The entry as it is kept, if it is one of the newest that were read. */
  function keep(name: string, entry: StoredEntry): StoredEntry {
    const found = threads.get(name)
    if (found && entry.seq < found.first) return entry
    const same = found?.entries[entry.seq - found.first]
    if (same?.id === entry.id) return same
    const isLong = entry.payload.length > mostOfOne
    const isNext = found && entry.seq === found.first + found.entries.length
    if (isLong || !isNext) forget(name)
    if (isLong) return entry
    const { first, entries } = threads.get(name) ?? { first: entry.seq, entries: [] }
    const copy = keptEntry(entry)
    entries.push(copy)
    size += copy.payload.length
    const old = entries.length > 2 * mostEntries ? entries.splice(0, mostEntries) : []
    for (const { payload } of old) size -= payload.length
    touch(name, { first: first + old.length, entries })
    for (const oldest of threads.keys()) {
      if (threads.size <= mostThreads && size <= mostCharacters) break
      forget(oldest)
    }
    return copy
  }

  return {
    ...store,
    async *entries(thread, range = {}) {
      const name = nameOf(thread)
      const known = range.reverse ? [] : knownIn(threads.get(name), range)
      const last = known.at(-1)
      if (last) {
        const { limit } = range
        const rest = { ...range, from: last.seq, ...(limit && { limit: limit - known.length + 1 }) }
        let isFirst = true
        for await (const entry of store.entries(thread, rest)) {
          if (!isFirst) yield keep(name, entry)
          else if (entry.id === last.id) yield* known
          else break
          isFirst = false
        }
        if (!isFirst) return touch(name)
        // Deleted since, or another database.
        forget(name)
      }
      for await (const entry of store.entries(thread, range)) yield range.reverse ? entry : keep(name, entry)
    },
    async deleteConversation(tenant, conversation, options) {
      const isDeleted = await store.deleteConversation(tenant, conversation, options)
      const begin = nameOf({ tenant, conversation, actor: '', branch: '' }).slice(0, -1)
      for (const name of isDeleted ? [...threads.keys()] : []) if (name.startsWith(begin)) forget(name)
      return isDeleted
    },
  }
}

/** Longer payloads are read again. */
const mostOfOne = 256 * 1024

/** Entries in a row. */
interface Kept {
  /** The place of the first. */
  readonly first: number
  readonly entries: StoredEntry[]
}

/** The first entries of a range, as far as they are kept. */
function knownIn(kept: Kept | undefined, { from = 1, to, limit }: EntryRange): readonly StoredEntry[] {
  if (!kept || !isCount(from, kept.first)) return []
  const start = from - kept.first
  const end = Math.min((to ?? Infinity) - kept.first + 1, start + (limit ?? Infinity))
  return kept.entries.slice(start, Math.max(start, end))
}

/** No name has NUL. */
const nameOf = ({ tenant, conversation, actor, branch }: ThreadKey) =>
  [tenant, conversation, actor, branch].join('\0')
