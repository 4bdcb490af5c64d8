import { isCount } from '@throughline/core/values'
import type { ConversationKey, EntryRange, Store, StoredEntry } from '@throughline/stores/store'
import { isErasure } from './hand-entry.ts'
import { keptEntry } from './logged-message.ts'
import { threadId } from './read-log.ts'

export interface RememberOptions {
  readonly mostThreads?: number
  /** The most entries of a thread; up to twice as many until the older half is forgotten. */
  readonly mostEntries?: number
  /** About the most bytes of all entries. */
  readonly mostBytes?: number
}

/**
 * A store that remembers the newest entries that were read: a server compares and continues the same turn with each request of
 * an agent. An entry never changes, so only its existence must be asked for. Each read asks the store for the last entry
 * that is known and all that follow it: what others wrote or deleted meanwhile is seen.
 */
export function rememberingStore(
  store: Store,
  { mostThreads = 256, mostEntries = 1024, mostBytes = 2 ** 26 }: RememberOptions = {},
): Store {
  /** The thread that was read last stands last. */
  const threads = new Map<string, Kept>()
  let size = 0

  function forget(name: string): void {
    for (const entry of threads.get(name)?.entries ?? []) size -= sizeOf(entry)
    threads.delete(name)
  }

  function drop({ tenant, conversation }: ConversationKey): void {
    const begin = threadId({ tenant, conversation, actor: '', branch: '' }).slice(0, -1)
    for (const name of [...threads.keys()]) if (name.startsWith(begin)) forget(name)
  }

  function touch(name: string, kept = threads.get(name)): void {
    threads.delete(name)
    if (kept) threads.set(name, kept)
  }

  /** The entry as it is kept, if it is one of the newest that were read. */
  function keep(name: string, entry: StoredEntry): StoredEntry {
    // What is kept may have the text that it says is gone.
    if (isErasure(entry)) forget(name)
    const recent = threads.get(name)
    if (recent && entry.seq < recent.first) return entry
    const same = recent?.entries[entry.seq - recent.first]
    if (same?.id === entry.id) return same
    const isLong = entry.payload.length > mostOfOne
    const isNext = recent && entry.seq === recent.first + recent.entries.length
    if (isLong || !isNext) forget(name)
    if (isLong) return entry
    const { first, entries } = threads.get(name) ?? { first: entry.seq, entries: [] }
    const copy = keptEntry(entry)
    entries.push(copy)
    size += sizeOf(copy)
    const old = entries.length > 2 * mostEntries ? entries.splice(0, mostEntries) : []
    for (const one of old) size -= sizeOf(one)
    touch(name, { first: first + old.length, entries })
    for (const oldest of threads.keys()) {
      if (threads.size <= mostThreads && size <= mostBytes) break
      forget(oldest)
    }
    return copy
  }

  return {
    ...store,
    async *entries(thread, range = {}) {
      const name = threadId(thread)
      const cached = range.reverse ? [] : knownIn(threads.get(name), range)
      const last = cached.at(-1)
      if (last) {
        const { limit } = range
        const rest = {
          ...range,
          from: last.seq,
          ...(limit && { limit: limit - cached.length + 1 }),
        }
        let isFirst = true
        for await (const entry of store.entries(thread, rest)) {
          if (!isFirst) yield keep(name, entry)
          else if (entry.id === last.id) yield* cached
          else break
          isFirst = false
        }
        if (!isFirst) return touch(name)
        // Deleted since, or another database.
        forget(name)
      }
      for await (const entry of store.entries(thread, range))
        yield range.reverse ? entry : keep(name, entry)
    },
    async deleteConversation(tenant, conversation, options) {
      const isDeleted = await store.deleteConversation(tenant, conversation, options)
      if (isDeleted) drop({ tenant, conversation })
      return isDeleted
    },
    async erase(thread, seq, mark) {
      const isErased = await store.erase(thread, seq, mark)
      drop(thread)
      return isErased
    },
  }
}

const sizes = new WeakMap<StoredEntry, number>()

/** About the bytes of an entry with the message that is read of it: each value of a payload becomes an object or a field. */
function sizeOf(entry: StoredEntry): number {
  let size = sizes.get(entry)
  if (size === undefined) {
    const { payload } = entry
    size = 2048 + payload.length
    for (let at = 0; at < payload.length; at++) if (isSeparator(payload.charCodeAt(at))) size += 64
    sizes.set(entry, size)
  }
  return size
}

/** Whether a character may stand before a value of JSON: `,`, `[` or `{`. */
const isSeparator = (code: number) => code === 44 || code === 91 || code === 123

/** Longer payloads are read again. */
const mostOfOne = 256 * 1024

interface Kept {
  /** The place of the first. */
  readonly first: number
  readonly entries: StoredEntry[]
}

/** The first entries of a range, as far as they are kept. */
function knownIn(
  kept: Kept | undefined,
  { from = 1, to, limit }: EntryRange,
): readonly StoredEntry[] {
  if (!kept || !isCount(from, kept.first)) return []
  const start = from - kept.first
  const end = Math.min((to ?? Infinity) - kept.first + 1, start + (limit ?? Infinity))
  return kept.entries.slice(start, Math.max(start, end))
}
