import { stampEntry } from '../../context/conversation/stamp-entry.ts'
import { recallElsewhere } from '../../context/recall/elsewhere.ts'
import { mayAsk, toEffort } from '../../context/recall/judge.ts'
import { withoutLabel } from '../../context/recall/terms.ts'
import type { MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import type { ThreadKey, ThreadPlace } from '../../stores/store.ts'
import { words } from '../../stores/words.ts'
import { type Said, saidBetween } from './load-quotes.ts'
import { isQuotable, type Passages, passageOf, type Quotable } from './passages.ts'
import { mostQuotes, type QuoteReference } from './quote-reference.ts'
import { type LogSource, threadId } from './read-log.ts'
import { isTelling, longestWords } from './telling-words.ts'

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
 * to look, and recall's own ranking chooses. `said`: the messages of this conversation so far.
 */
export async function findQuotes(
  source: LogSource,
  asked: MessageLike,
  said: readonly MessageLike[],
  { person, effort, room, passages, now }: FindQuotes,
): Promise<readonly QuoteReference[]> {
  const { store, key, count } = source
  const text = readMessage(asked, 0).text.slice(-mostCharacters)
  const wanted = longestWords([...words([withoutLabel(text)])].filter(isTelling))
  if (wanted.length === 0) return []
  const found = await store.findWords(key.tenant, wanted.map(formsOf), { person, limit: perWord })
  const isOther = ({ thread }: ThreadPlace) => thread.conversation !== key.conversation && isQuotable(thread)
  const others = found.map(places => places.filter(isOther))
  const numberOf = createNumbering()
  if (!mayAsk(withoutLabel(text), bestShare(others, numberOf), toEffort(effort))) return []
  const looked = await readBest(bestPassages(others, numberOf), passages)
  if (looked.length === 0) return []
  const own = numberOf(key)
  const mine = found.flat().filter(({ thread }) => numberOf(thread) === own)
  const before = [...(await ownMatches(mine)), ...said.slice(-mostOwn).flatMap(message => spokenIn(message))]
  const asking = { role: 'user' as const, text, time: now(), tokens: 0 }
  const chosen = recallElsewhere(looked, before, asking, { count, effort, lineCost, base: room })
  return chosen.slice(0, mostQuotes).map(({ passage, seq, id, why }) => {
    const { conversation, actor, branch } = passage.thread
    return { conversation, actor, branch, seq, id, why }
  })

  /** The messages of this conversation that have the most of the words. */
  async function ownMatches(places: readonly ThreadPlace[]): Promise<readonly Said[]> {
    const counts = new Map<number, number>()
    for (const { seq } of places) counts.set(seq, (counts.get(seq) ?? 0) + 1)
    const best = [...counts].sort(([, a], [, b]) => b - a).slice(0, mostOwn)
    const matches: Said[] = []
    for (const [seq] of best.sort(([a], [b]) => a - b))
      for (const one of (await saidBetween(source, seq, seq)).said) matches.push(one)
    return matches
  }

  function spokenIn(message: MessageLike) {
    const { role, text, time = 0 } = readMessage(message, 0)
    return role === 'user' || role === 'assistant'
      ? [{ role, text, time, tokens: stampEntry(message, 0, count).tokens }]
      : []
  }
}

/** The first of some passages, oldest first, until they have enough messages. */
async function readBest(
  best: readonly Pick<Matched, 'thread' | 'from' | 'last'>[],
  passages: Passages,
): Promise<readonly Quotable[]> {
  const looked: Quotable[] = []
  let read = 0
  for (const { thread, from, last } of best) {
    if (read >= mostRead) break
    const passage = await passages.read(thread, from, last + beside)
    if (passage.seqs.length > 0) looked.push(passage)
    read += passage.seqs.length
  }
  return looked.sort((a, b) => a.first! - b.first!)
}

/**
 * A word and, in English, what it may look like elsewhere: `hiking`, `hike`, `hikes`, `hiked`; `study`, `studies`, `studied`. The
 * index has words as they are written.
 */
function formsOf(word: string): readonly string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word]
  const bare = word.replace(/(?<=...)(?:ing|ed|es|e|s)$/, '')
  const root = bare.replace(/(?<=..[^aeiou])[iy]$/, '')
  const single = root.replace(/([bdfgmnprt])\1$/, '$1')
  const endings = root === bare ? ['', 's', 'es', 'ed', 'ing', 'e'] : ['y', 'ies', 'ied', 'ying', 'ie']
  return [...new Set([word, ...endings.map(ending => root + ending), single])]
}

const weightOf = (places: readonly ThreadPlace[]) => Math.log(1 + 2_000 / (places.length + 0.5))

type NumberOf = (thread: ThreadKey) => number

/** Numbers threads. A store mostly names one by the same object, which is found sooner than a text. */
function createNumbering(): NumberOf {
  const byThread = new Map<ThreadKey, number>()
  const byName = new Map<string, number>()
  return thread => {
    const known = byThread.get(thread)
    if (known !== undefined) return known
    const name = threadId(thread)
    const number = byName.get(name) ?? byName.size
    byName.set(name, number)
    byThread.set(thread, number)
    return number
  }
}

/** One number for a place in a thread. */
const toKey = (thread: number, seq: number): number => thread * 2 ** 32 + seq

/** The largest share of the words, rare ones counting more, that one entry has. */
function bestShare(found: readonly (readonly ThreadPlace[])[], numberOf: NumberOf): number {
  const sums = new Map<number, number>()
  let most = 0
  for (const places of found) {
    const weight = weightOf(places)
    for (const { thread, seq } of places) {
      const key = toKey(numberOf(thread), seq)
      const sum = (sums.get(key) ?? 0) + weight
      sums.set(key, sum)
      most = Math.max(most, sum)
    }
  }
  return most / found.reduce((sum, places) => sum + weightOf(places), 0)
}

/** A passage that has some of the words, and the last entry of it that has one. */
interface Matched {
  readonly thread: ThreadKey
  readonly from: number
  score: number
  last: number
  /** The last word that it was found for. */
  word: number
}

/** Entries after one that its score counts for. */
const beside = 2

/** The passages that have the most of the words, rare ones counting more; of two that are equal, the newer one first. */
function bestPassages(
  found: readonly (readonly ThreadPlace[])[],
  numberOf: NumberOf,
): readonly Pick<Matched, 'thread' | 'from' | 'last'>[] {
  const passages = new Map<number, Matched>()
  for (const [word, places] of found.entries()) {
    const weight = weightOf(places)
    for (const { thread, seq } of places) {
      const from = passageOf(seq)
      const key = toKey(numberOf(thread), from)
      const passage = passages.get(key) ?? { thread, from, score: 0, last: seq, word: -1 }
      if (passage.word !== word) passage.score += weight
      passage.word = word
      passage.last = Math.max(passage.last, seq)
      passages.set(key, passage)
    }
  }
  // A sort keeps the order of equals, and the newest places come first.
  return [...passages.values()].sort((a, b) => b.score - a.score)
}
