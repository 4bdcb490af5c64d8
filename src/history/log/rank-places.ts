import { rarity } from '../../context/recall/posting.ts'
import { beside, beyond, saturation } from '../../context/recall/ranking.ts'
import type { ThreadKey, ThreadPlace } from '../../stores/store.ts'
import { threadId } from './read-log.ts'

/** A message that has words of a query. */
export interface RankedPlace extends ThreadPlace {
  /** How well its conversation matches as a whole, from 0 to 1. */
  readonly whole: number
  /** The weights of the words that it has, and parts of those that only its neighbours have. */
  readonly own: number
  readonly near: number
}

export interface PlaceRanking {
  /** The best first: by the conversation and by the message, half each. So the best message of a conversation ranks the conversation. */
  readonly places: readonly RankedPlace[]
  /** By word: how much it tells. */
  readonly weights: readonly number[]
  /** The largest share of the words' weights that one message has. */
  readonly share: number
}

/** BM25 of conversations: how much length matters. */
const lengthShare = 0.75

/**
 * Ranks messages of many conversations by the words that they have: the one ranking of search, MCP and other conversations. `found`: for
 * each word the places that have it, as a store tells them. No text is read: which messages have a word says as much as
 * how often (LoCoMo: hit@1 74.8, with counts and lengths 73.0), and the last place with a word how long a conversation is.
 */
export function rankPlaces(found: readonly (readonly ThreadPlace[])[]): PlaceRanking {
  const lineOf = createLines(found.length)
  const places = new Map<number, Place>()
  for (const [word, list] of found.entries())
    for (const { thread, seq } of list) {
      const { number, conversation } = lineOf(thread)
      const key = number * 2 ** 32 + seq
      const place = places.get(key)
      if (place && place.words & (1 << word)) continue
      conversation.counts[word]! += 1
      conversation.length = Math.max(conversation.length, seq)
      if (place) place.words |= 1 << word
      else places.set(key, { key, thread, seq, conversation, words: 1 << word })
    }
  const wholes = scoreWholes([...new Set(Array.from(places.values(), ({ conversation }) => conversation))])
  const weights = found.map(list => rarity(list.length, places.size))
  const weigh = (words: number) =>
    weights.reduce((sum, weight, at) => (words & (1 << at) ? sum + weight : sum), 0)
  const wordsAt = (key: number) => places.get(key)?.words ?? 0
  let best = 0
  const ranked = Array.from(places.values(), ({ key, thread, seq, conversation, words }) => {
    const near = (wordsAt(key - 1) | wordsAt(key + 1)) & ~words
    const far = (wordsAt(key - 2) | wordsAt(key + 2)) & ~words & ~near
    const own = weigh(words)
    best = Math.max(best, own)
    return {
      thread,
      seq,
      own,
      near: beside * weigh(near) + beyond * weigh(far),
      whole: wholes.get(conversation)!,
    }
  })
  return { places: sortPlaces(ranked), weights, share: best / (weigh(-1) || 1) }
}

/** Each further message of a conversation counts this much: others should be seen too, and three hits of one say little more than two. */
const furtherMessage = 0.9

/** The best places first; of equals those that a store told first, the newest. */
export function sortPlaces<P extends RankedPlace>(places: readonly P[]): readonly P[] {
  const best = places.reduce((most, { own, near }) => Math.max(most, own + near), 0) || 1
  const scored = places.map(place => ({ place, score: place.whole + (place.own + place.near) / best }))
  const byScore = (a: { readonly score: number }, b: { readonly score: number }) => b.score - a.score
  const counts = new Map<string, number>()
  for (const one of scored.sort(byScore)) {
    const { conversation } = one.place.thread
    const earlier = counts.get(conversation) ?? 0
    one.score *= furtherMessage ** earlier
    counts.set(conversation, earlier + 1)
  }
  return scored.sort(byScore).map(({ place }) => place)
}

interface Conversation {
  /** About how many messages it has: the last place with a word. */
  length: number
  /** By word: how many messages have it. */
  readonly counts: number[]
}

interface Place extends ThreadPlace {
  readonly key: number
  readonly conversation: Conversation
  words: number
}

/** BM25 of whole conversations, divided by the best. */
function scoreWholes(conversations: readonly Conversation[]): ReadonlyMap<Conversation, number> {
  const size = conversations.length
  const mean = conversations.reduce((sum, { length }) => sum + length, 0) / size
  const rarities = conversations[0]?.counts.map((_, word) =>
    rarity(conversations.filter(({ counts }) => counts[word]! > 0).length, size),
  )
  const scores = conversations.map(({ length, counts }) => {
    const share = 1 - lengthShare + (lengthShare * length) / mean
    return counts.reduce(
      (sum, count, word) =>
        sum + (rarities![word]! * (saturation + 1) * count) / (count + saturation * share),
      0,
    )
  })
  const best = scores.reduce((most, score) => Math.max(most, score), 0) || 1
  return new Map(conversations.map((one, at) => [one, scores[at]! / best]))
}

/** Threads by number, with their conversation. A store mostly names a thread by the same object, which is found sooner than a text. */
function createLines(words: number) {
  interface Line {
    readonly number: number
    readonly conversation: Conversation
  }
  const byThread = new Map<ThreadKey, Line>()
  const byName = new Map<string, Line>()
  const conversations = new Map<string, Conversation>()
  return (thread: ThreadKey): Line => {
    const line = byThread.get(thread)
    if (line) return line
    const name = threadId(thread)
    const conversation = conversations.get(thread.conversation) ?? {
      length: 0,
      counts: new Array<number>(words).fill(0),
    }
    conversations.set(thread.conversation, conversation)
    const created = byName.get(name) ?? { number: byName.size, conversation }
    byName.set(name, created)
    byThread.set(thread, created)
    return created
  }
}
