import { bestFirst, ranking, rarity } from '@throughline/core/recall'
import type { ThreadKey, ThreadPlace } from '@throughline/stores/store'
import { threadId } from './read-log.ts'

export interface RankedPlace extends ThreadPlace {
  /** How well its conversation matches as a whole, from 0 to 1. */
  readonly whole: number
  /** The weights of the words that it has, and parts of those that only its neighbours have. */
  readonly weight: number
  readonly near: number
}

/** BM25 of conversations: how much length matters. */
const lengthShare = 0.75

/** No more places than these are put in order. */
const mostRanked = 512

/**
 * Ranks messages of many conversations by their words: the one ranking of search, MCP and other conversations. `byWord`: for
 * each word the places that have it, as a store tells them. No text is read: which messages have a word says as much as
 * how often (LoCoMo: hit@1 74.8, with counts and lengths 73.0), and the last place with a word how long a conversation is.
 */
export function rankPlaces(byWord: readonly (readonly ThreadPlace[])[]) {
  const { keys, words, lines } = listPlaces(byWord)
  const wholes = scoreWholes([...new Set(lines.map(({ conversation }) => conversation))])
  const weights = byWord.map(list => rarity(list.length, keys.length))
  const weigh = createWeigh(weights)
  const wordsAt = (at: number, key: number) => (keys[at] === key ? words[at]! : 0)
  const scores = new Float64Array(keys.length)
  const near = new Float64Array(keys.length)
  let [best, share] = [0, 0]
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at]!
    const bits = words[at]!
    // Places next to each other in a thread are so in the list, unless one between them has no word.
    const next = wordsAt(at - 1, key - 1) | wordsAt(at + 1, key + 1)
    const second =
      wordsAt(at - 1, key - 2) |
      wordsAt(at - 2, key - 2) |
      wordsAt(at + 1, key + 2) |
      wordsAt(at + 2, key + 2)
    near[at] = ranking.beside * weigh(next & ~bits) + ranking.beyond * weigh(second & ~bits & ~next)
    scores[at] = weigh(bits) + near[at]!
    best = Math.max(best, scores[at]!)
    share = Math.max(share, weigh(bits))
  }
  const wholeOf = (at: number) => wholes.get(lines[lineIn(keys[at]!)]!.conversation)!
  for (let at = 0; at < keys.length; at++) scores[at] = wholeOf(at) + scores[at]! / (best || 1)
  const places: RankedPlace[] = []
  for (const at of bestFirst(scores)) {
    if (places.length >= mostRanked) break
    const { thread } = lines[lineIn(keys[at]!)]!
    const weight = weigh(words[at]!)
    places.push({ thread, seq: seqOf(keys[at]!), weight, near: near[at]!, whole: wholeOf(at) })
  }
  return {
    /** The best first, half by the conversation and half by the message: so a conversation ranks by its best message. */
    places: sortPlaces(places),
    /** By word: how much it tells. */
    weights,
    /** The largest share of the words' weights that one message has. */
    share: share / (weigh(2 ** byWord.length - 1) || 1),
  }
}

/** The sum of the weights of some words, which are bits of a number. */
function createWeigh(weights: readonly number[]): (words: number) => number {
  const sums = new Float64Array(2 ** weights.length)
  for (let words = 1; words < sums.length; words++)
    sums[words] = sums[words & (words - 1)]! + weights[31 - Math.clz32(words & -words)]!
  return words => sums[words]!
}

/** A place is one number, the newest of a thread first. With the number of a word it is still exact. */
const perLine = 2 ** 28
const perPlace = 16
const lineIn = (key: number) => Math.floor(key / perLine)
const seqOf = (key: number) => perLine - (key % perLine)

interface ThreadWords {
  readonly thread: ThreadKey
  readonly number: number
  readonly conversation: WordCounts
}

/** All places in order, and by place a bit for each word; the threads; and what their conversations have of each word. */
function listPlaces(byWord: readonly (readonly ThreadPlace[])[]) {
  const lines: ThreadWords[] = []
  const byThread = new Map<ThreadKey, ThreadWords>()
  const byName = new Map<string, ThreadWords>()
  const conversations = new Map<string, WordCounts>()

  /** A store mostly names a thread by the same object, which is found sooner than a text. */
  function lineOf(thread: ThreadKey): ThreadWords {
    const name = threadId(thread)
    const conversation = conversations.get(thread.conversation) ?? {
      length: 0,
      counts: byWord.map(() => 0),
    }
    conversations.set(thread.conversation, conversation)
    const line = byName.get(name) ?? { thread, number: lines.length, conversation }
    if (!byName.has(name)) lines.push(line)
    byName.set(name, line)
    byThread.set(thread, line)
    return line
  }

  const all = new Float64Array(byWord.reduce((sum, { length }) => sum + length, 0))
  let filled = 0
  for (const [word, places] of byWord.entries())
    for (const { thread, seq } of places) {
      const { number } = byThread.get(thread) ?? lineOf(thread)
      all[filled++] = ((number + 1) * perLine - seq) * perPlace + word
    }
  const keys: number[] = []
  const words: number[] = []
  let last = -1
  for (const one of all.sort()) {
    if (one === last) continue
    last = one
    const key = Math.floor(one / perPlace)
    const word = one % perPlace
    if (keys.at(-1) === key) words[words.length - 1]! |= 1 << word
    else {
      keys.push(key)
      words.push(1 << word)
    }
    const { conversation } = lines[lineIn(key)]!
    conversation.counts[word]! += 1
    conversation.length = Math.max(conversation.length, seqOf(key))
  }
  return { keys, words, lines }
}

/** What each further message of a conversation counts: others should be seen too, and three hits say little more than two. */
const furtherMessage = 0.9

/** The best places first; of equals the later ones of the threads that a store told first, which are the newest. */
export function sortPlaces<P extends RankedPlace>(places: readonly P[]): readonly P[] {
  const best = places.reduce((most, { weight, near }) => Math.max(most, weight + near), 0) || 1
  const scored = places.map(place => ({
    place,
    score: place.whole + (place.weight + place.near) / best,
  }))
  const byScore = (a: { readonly score: number }, b: { readonly score: number }) =>
    b.score - a.score
  const counts = new Map<string, number>()
  for (const one of scored.sort(byScore)) {
    const { conversation } = one.place.thread
    const earlier = counts.get(conversation) ?? 0
    one.score *= furtherMessage ** earlier
    counts.set(conversation, earlier + 1)
  }
  return scored.sort(byScore).map(({ place }) => place)
}

interface WordCounts {
  /** About how many messages it has: the last place with a word. */
  length: number
  /** By word: how many messages have it. */
  readonly counts: number[]
}

/** BM25 of whole conversations, divided by the best. */
function scoreWholes(conversations: readonly WordCounts[]): ReadonlyMap<WordCounts, number> {
  const size = conversations.length
  const mean = conversations.reduce((sum, { length }) => sum + length, 0) / size
  const rarities = conversations[0]?.counts.map((_, word) =>
    rarity(conversations.filter(({ counts }) => counts[word]! > 0).length, size),
  )
  const scores = conversations.map(({ length, counts }) => {
    const share = 1 - lengthShare + (lengthShare * length) / mean
    return counts.reduce(
      (sum, count, word) =>
        sum +
        (rarities![word]! * (ranking.saturation + 1) * count) /
          (count + ranking.saturation * share),
      0,
    )
  })
  const best = scores.reduce((most, score) => Math.max(most, score), 0) || 1
  return new Map(conversations.map((one, at) => [one, scores[at]! / best]))
}
