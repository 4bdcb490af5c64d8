import { addToPassage, type Passage, readPassage } from '../../context/recall/passage.ts'
import type { ThreadKey } from '../../stores/store.ts'
import { isSideThread } from '../side-name.ts'
import { quotableBetween } from './load-quotes.ts'
import { type LogSource, placeId } from './read-log.ts'
import { breathe } from './rests.ts'

/** The entries of a passage. */
export const passageSize = 128

/** The most bytes of passages in memory, of those used last: more than a hundred thousand messages. */
const mostBytes = 2 ** 25

/** A passage is stored again when it has this many more entries: the others are read from the log. */
const entriesPerSaving = 32

/** A passage of another conversation, and where it stands. */
export interface Quotable extends Passage {
  readonly thread: ThreadKey
}

interface CachedPassage extends Quotable {
  /** The last entry that it covers, and the last one that the stored passage covers. */
  readonly at: number
  readonly stored: number
}

export type Passages = ReturnType<typeof createPassages>

/** Whether messages of other conversations may bring back what was said in a thread. */
export const isQuotable = (thread: ThreadKey): boolean =>
  !isSideThread(thread) && !thread.actor.startsWith('throughline:')

/** Whether a passage that covers the entries up to one place should cover those up to another; `end` is its last. */
const isEnough = (from: number, to: number, end: number) =>
  to === end ? from < end : to - from >= entriesPerSaving

/** The first entry of the passage that an entry stands in. */
export const passageOf = (seq: number): number => seq - ((seq - 1) % passageSize)

/** Passages: entries in a row of conversations that messages of others bring something back from. */
export function createPassages(source: Omit<LogSource, 'key'>) {
  const { store, count } = source
  const cache = new Map<string, CachedPassage>()
  let bytes = 0
  let drops = 0

  function forget(name: string): void {
    bytes -= cache.get(name)?.bytes.length ?? 0
    cache.delete(name)
  }

  function keep(name: string, passage: CachedPassage): void {
    forget(name)
    cache.set(name, passage)
    bytes += passage.bytes.length
    for (const oldest of cache.keys()) {
      if (bytes <= mostBytes || oldest === name) break
      forget(oldest)
    }
  }

  const cacheName = (from: number) => `passage ${count.id} ${from}`

  /** What is stored of a passage; one without messages where nothing is, or nothing that can be read. */
  async function load(thread: ThreadKey, from: number): Promise<CachedPassage> {
    const saved = await store.loadCache(thread, cacheName(from))
    try {
      if (saved) return { ...readPassage(saved.bytes), thread, at: saved.at, stored: saved.at }
    } catch {
      // Damaged, or of another version: it is made anew.
    }
    return { ...addToPassage(undefined, []), thread, at: from - 1, stored: from - 1 }
  }

  /**
   * The passage that begins with an entry. Entries never change, so only new ones are read: those after `needed` not at all, unless
   * one before it is new.
   */
  async function read(thread: ThreadKey, from: number, needed = Number.POSITIVE_INFINITY): Promise<Quotable> {
    const name = placeId(thread, from)
    const dropped = drops
    let passage = cache.get(name) ?? (await load(thread, from))
    const to = from + passageSize - 1
    if (passage.at < Math.min(to, needed)) {
      const { messages, at } = await quotableBetween({ ...source, key: thread }, passage.at + 1, to)
      if (messages.length > 0) passage = { ...passage, ...addToPassage(passage, messages) }
      passage = { ...passage, at }
    }
    const { at, stored } = passage
    if (isEnough(stored, at, to)) {
      await store.saveCache(thread, cacheName(from), at, passage.bytes).catch(() => {})
      passage = { ...passage, stored: at }
    }
    // What may have been deleted meanwhile is not kept.
    if (dropped === drops) keep(name, passage)
    return passage
  }

  return {
    read,
    /** Reads and stores what is new between two entries of a thread, so that no message waits for it later. Never throws. */
    async prepare(thread: ThreadKey, from: number, to: number): Promise<void> {
      try {
        for (let next = passageOf(from); next <= to; next += passageSize) {
          await breathe()
          const { at } = cache.get(placeId(thread, next)) ?? (await load(thread, next))
          const end = next + passageSize - 1
          // The whole passage is made anew: not for every entry.
          if (isEnough(at, Math.min(to, end), end)) await read(thread, next)
        }
      } catch {
        // What could not be read now is read when a message asks for it, and says then what is wrong.
      }
    },
    /** Forgets a conversation. */
    drop(tenant: string, conversation: string): void {
      drops += 1
      for (const [name, { thread }] of cache)
        if (thread.tenant === tenant && thread.conversation === conversation) forget(name)
    },
  }
}
