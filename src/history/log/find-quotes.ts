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
 * to look, and recall's own ranking chooses. `own`: the messages of this conversation so far.
 */
export async function findQuotes(
  source: LogSource,
  asked: MessageLike,
  own: readonly MessageLike[],
  { person, effort, room, passages, now }: FindQuotes,
): Promise<readonly QuoteReference[]> {
  const { store, key, count } = source
  const text = readMessage(asked, 0).text.slice(-mostCharacters)
  const wanted = longestWords([...words([withoutLabel(text)])].filter(isTelling))
  if (wanted.length === 0) return []
  const found = await store.findWords(key.tenant, wanted.map(formsOf), { person, limit: perWord })
  const isOther = ({ thread }: ThreadPlace) => thread.conversation !== key.conversation && isQuotable(thread)
  const others = found.map(places => places.filter(isOther))
  if (!mayAsk(withoutLabel(text), bestShare(others), toEffort(effort))) return []
  const looked = await readBest(bestPassages(others), passages)
  if (looked.length === 0) return []
  const mine = found.flat().filter(({ thread }) => threadId(thread) === threadId(key))
  const before = [...(await ownMatches(mine)), ...own.slice(-mostOwn).flatMap(message => spokenIn(message))]
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
    const said: Said[] = []
    for (const [seq] of best.sort(([a], [b]) => a - b))
      for (const one of (await saidBetween(source, seq, seq)).said) said.push(one)
    return said
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
  best: readonly { readonly thread: ThreadKey; readonly from: number }[],
  passages: Passages,
): Promise<readonly Quotable[]> {
  const looked: Quotable[] = []
  let read = 0
  for (const { thread, from } of best) {
    if (read >= mostRead) break
    const passage = await passages.read(thread, from)
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

/** The largest share of the words, rare ones counting more, that one entry has. */
function bestShare(found: readonly (readonly ThreadPlace[])[]): number {
  const sums = new Map<string, number>()
  for (const places of found)
    for (const { thread, seq } of places) {
      const name = `${threadId(thread)} ${seq}`
      sums.set(name, (sums.get(name) ?? 0) + weightOf(places))
    }
  const most = [...sums.values()].reduce((most, sum) => Math.max(most, sum), 0)
  return most / found.reduce((sum, places) => sum + weightOf(places), 0)
}

/** The passages that have the most of the words, rare ones counting more; of two that are equal, the newer one first. */
function bestPassages(found: readonly (readonly ThreadPlace[])[]) {
  const passages = new Map<string, { thread: ThreadKey; from: number; score: number; last: number }>()
  for (const [number, places] of found.entries()) {
    const weight = weightOf(places)
    for (const { thread, seq } of places) {
      const from = passageOf(seq)
      const name = `${threadId(thread)} ${from}`
      const passage = passages.get(name) ?? { thread, from, score: 0, last: -1 }
      if (passage.last !== number) passage.score += weight
      passage.last = number
      passages.set(name, passage)
    }
  }
  // A sort keeps the order of equals, and the newest places come first.
  return [...passages.values()].sort((a, b) => b.score - a.score)
}
