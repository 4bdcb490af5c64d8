import { type Message, type MessageLike, stampEntry } from '@throughline/core/messages'
import {
  addToPassage,
  mayAsk,
  type Passage,
  readPassage,
  recallElsewhere,
  toEffort,
  withoutLabel,
} from '@throughline/core/recall'
import type { ThreadKey, ThreadPlace } from '@throughline/stores/store'
import { isSideThread } from '../side-name.ts'
import type { StillSaid } from './lines.ts'
import { type QuoteText, quotableBetween } from './load-quotes.ts'
import { mostQuotes, type QuoteReference } from './logged-message.ts'
import { toQuery } from './match-text.ts'
import { rankPlaces } from './rank-places.ts'
import { type LogSource, placeId, threadId } from './read-log.ts'
import { breathe } from './rests.ts'

export interface FindQuotes {
  readonly person: string
  /** How much is brought back, from 0 to 1. */
  readonly effort: number
  /** The tokens of a window beside what is kept for the reply. */
  readonly room: number
  readonly passages: Passages
  /** Tells what a client deleted or changed, which is quoted no more. */
  readonly isStillSaid: StillSaid
  readonly now: () => number
}

/** The most entries with a word that the store tells: the newest. */
const perWord = 128

/** No more passages are read once they have this many messages. */
const mostRead = 1_024

/** The most messages of the own conversation that the others are compared with: the best matches, and the newest. */
const mostOwn = 12

/** About what the line with day and name costs. */
const lineCost = 20

/** A long message asks at its end: words before its last characters are not looked for. */
const mostCharacters = 4_000

/** What a message brings back of its person's other conversations: an index says where, recall chooses. */
export async function findQuotes(
  source: LogSource,
  newest: Message,
  past: readonly MessageLike[],
  { person, effort, room, passages, isStillSaid, now }: FindQuotes,
): Promise<readonly QuoteReference[]> {
  const { store, key, count } = source
  const text = withoutLabel(newest.text.slice(-mostCharacters))
  const query = toQuery(text)
  if (query.length === 0) return []
  const byWord = await store.findWords(key.tenant, query, { person, limit: perWord })
  const isOther = ({ thread }: ThreadPlace) =>
    thread.conversation !== key.conversation && isQuotable(thread)
  const { places, share } = rankPlaces(byWord.map(list => list.filter(isOther)))
  if (!mayAsk(text, share, toEffort(effort))) return []
  const looked = await readBest(places, passages)
  if (looked.length === 0) return []
  const here = threadId(key)
  const mine = byWord.flat().filter(({ thread }) => threadId(thread) === here)
  const before = [
    ...(await ownMatches(mine)),
    ...past.slice(-mostOwn).flatMap(message => spokenIn(message)),
  ]
  const asking = { role: 'user' as const, text, time: now(), tokens: 0 }
  const chosen = recallElsewhere(looked, before, asking, { count, effort, lineCost, base: room })
  const quotes: QuoteReference[] = []
  for (const { passage, seq, id, why } of chosen) {
    if (quotes.length === mostQuotes) break
    if (!(await isStillSaid(passage.thread, seq))) continue
    const { conversation, actor, branch } = passage.thread
    quotes.push({ conversation, actor, branch, seq, id, why })
  }
  return quotes

  /** The messages of this conversation that have the most of the words. */
  async function ownMatches(places: readonly ThreadPlace[]): Promise<readonly QuoteText[]> {
    const counts = new Map<number, number>()
    for (const { seq } of places) counts.set(seq, (counts.get(seq) ?? 0) + 1)
    const best = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostOwn)
    const matches: QuoteText[] = []
    for (const [seq] of best.sort(([a], [b]) => a - b))
      for (const one of (await quotableBetween(source, seq, seq)).messages) matches.push(one)
    return matches
  }

  function spokenIn(message: MessageLike) {
    const { original, tokens } = stampEntry(message, 0, count)
    const { role, text, time = 0 } = original
    return role === 'user' || role === 'assistant' ? [{ role, text, time, tokens }] : []
  }
}

/** Entries behind the last one with a word that its passage must cover: they may answer it. */
const beside = 2

/** The passages of the best places, oldest first, until they have enough messages. */
async function readBest(
  places: readonly ThreadPlace[],
  passages: Passages,
): Promise<readonly Quotable[]> {
  /** By passage, the best first: the last entry that has a word. */
  const last = new Map<string, { readonly thread: ThreadKey; readonly from: number; seq: number }>()
  for (const { thread, seq } of places) {
    const from = passageOf(seq)
    const name = placeId(thread, from)
    const stretch = last.get(name)
    if (!stretch) last.set(name, { thread, from, seq })
    else if (stretch.seq < seq) stretch.seq = seq
  }
  const looked: Quotable[] = []
  let read = 0
  for (const { thread, from, seq } of last.values()) {
    if (read >= mostRead) break
    const passage = await passages.read(thread, from, seq + beside)
    if (passage.seqs.length > 0) looked.push(passage)
    read += passage.seqs.length
  }
  return looked.sort((a, b) => a.first! - b.first!)
}

const passageSize = 128

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
const passageOf = (seq: number): number => seq - ((seq - 1) % passageSize)

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

  /** The passage from an entry on. New entries are read, those after `needed` if one before it is new. */
  async function read(
    thread: ThreadKey,
    from: number,
    needed = Number.POSITIVE_INFINITY,
  ): Promise<Quotable> {
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
    drop(tenant: string, conversation: string): void {
      drops += 1
      for (const [name, { thread }] of cache)
        if (thread.tenant === tenant && thread.conversation === conversation) forget(name)
    },
  }
}
