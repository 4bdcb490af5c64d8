import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import { recallElsewhere } from '../../context/recall/elsewhere.ts'
import { mayAsk, toEffort } from '../../context/recall/judge.ts'
import { withoutLabel } from '../../context/recall/terms.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { ThreadKey, ThreadPlace } from '../../stores/store.ts'
import { type QuoteText, quotableBetween } from './load-quotes.ts'
import { isQuotable, type Passages, passageOf, type Quotable } from './passages.ts'
import { toQuery } from './query-words.ts'
import { mostQuotes, type QuoteReference } from './quote-reference.ts'
import { rankPlaces } from './rank-places.ts'
import { type LogSource, placeId, threadId } from './read-log.ts'

export interface FindQuotes {
  readonly person: string
  /** How much is brought back, from 0 to 1. */
  readonly effort: number
  /** The tokens of a window beside what is kept for the reply. */
  readonly room: number
  readonly passages: Passages
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

/**
 * Finds what a message brings back from other conversations of its person; mostly nothing. The store's index of words tells where
 * to look, the ranking of a search where first, and recall's own ranking chooses. `past`: the messages of this conversation so far.
 */
export async function findQuotes(
  source: LogSource,
  newest: MessageLike,
  past: readonly MessageLike[],
  { person, effort, room, passages, now }: FindQuotes,
): Promise<readonly QuoteReference[]> {
  const { store, key, count } = source
  const text = withoutLabel(readMessage(newest, 0).text.slice(-mostCharacters))
  const query = toQuery(text)
  if (query.length === 0) return []
  const byWord = await store.findWords(key.tenant, query, { person, limit: perWord })
  const isOther = ({ thread }: ThreadPlace) => thread.conversation !== key.conversation && isQuotable(thread)
  const { places, share } = rankPlaces(byWord.map(list => list.filter(isOther)))
  if (!mayAsk(text, share, toEffort(effort))) return []
  const looked = await readBest(places, passages)
  if (looked.length === 0) return []
  const here = threadId(key)
  const mine = byWord.flat().filter(({ thread }) => threadId(thread) === here)
  const before = [...(await ownMatches(mine)), ...past.slice(-mostOwn).flatMap(message => spokenIn(message))]
  const asking = { role: 'user' as const, text, time: now(), tokens: 0 }
  const chosen = recallElsewhere(looked, before, asking, { count, effort, lineCost, base: room })
  return chosen.slice(0, mostQuotes).map(({ passage, seq, id, why }) => {
    const { conversation, actor, branch } = passage.thread
    return { conversation, actor, branch, seq, id, why }
  })

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
    const { role, text, time = 0 } = readMessage(message, 0)
    return role === 'user' || role === 'assistant'
      ? [{ role, text, time, tokens: stampEntry(message, 0, count).tokens }]
      : []
  }
}

/** Entries behind the last one with a word that its passage must cover: they may answer it. */
const beside = 2

/** The passages of the best places, oldest first, until they have enough messages. */
async function readBest(places: readonly ThreadPlace[], passages: Passages): Promise<readonly Quotable[]> {
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
