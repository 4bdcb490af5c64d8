import { firstPlace } from '../conversation/first-place.ts'
import * as ranking from './ranking.ts'
import { isCommon, termsOf, withoutLabel } from './terms.ts'

/** One unit of the conversation, as the index gets it. */
export interface RecallDocument {
  readonly text: string
  readonly isUser: boolean
  /** False for units that are never recalled; they keep their place and score nothing. */
  readonly isRecallable: boolean
  readonly tokens: number
  readonly beginsSession: boolean
}

/**
 * The words of a conversation, append only. It can be asked as if only the first n entries existed, so that what was
 * recalled for a message depends only on what came before it, and is the same when computed again.
 */
export interface RecallIndex {
  readonly size: number
  readonly vocabulary: ReadonlyMap<string, number>
  /** By term: its weight, the entries that have it in ascending order, and how often each has it. */
  readonly weights: readonly number[]
  readonly places: readonly (readonly number[])[]
  readonly counts: readonly (readonly number[])[]
  /** By entry: how many terms it has, these and its tokens as running sums, and its session. */
  readonly lengths: readonly number[]
  readonly lengthSums: readonly number[]
  readonly tokenSums: readonly number[]
  readonly sessions: readonly number[]
  /** By entry: the part of its score that no question changes. */
  readonly priors: readonly number[]
  /** First entries of the sessions. */
  readonly starts: readonly number[]
  /** The different terms of an entry, in the order in which they first occur. */
  termsAt(entry: number): Int32Array
  append(document: RecallDocument): void
  /** The number of a term; a new one gets the next. */
  idOf(term: string): number
  /** Appends an entry that was saved: entries are restored in their order. */
  restore(entry: SavedEntry): void
}

/** The saved part of an entry: the rest follows from the order. */
export interface SavedEntry {
  /** The numbers of the entry's terms, in the order in which they first occur, and how often each occurs. */
  readonly terms: Int32Array
  readonly counts: Int32Array
  readonly tokens: number
  readonly prior: number
  readonly beginsSession: boolean
}

export function createRecallIndex(): RecallIndex {
  const vocabulary = new Map<string, number>()
  const weights: number[] = []
  // Most terms stand in one or two entries: a plain list takes a quarter of the memory of a typed one.
  const places: number[][] = []
  const counts: number[][] = []
  const lengths: number[] = []
  const lengthSums: number[] = []
  const tokenSums: number[] = []
  const sessions: number[] = []
  const priors: number[] = []
  const starts: number[] = []
  /** The terms of all entries, one entry after the other, and where those of each end: half the memory of a plain list. */
  let terms = new Int32Array(1024)
  const termEnds: number[] = []

  function idOf(term: string): number {
    const known = vocabulary.get(term)
    if (known !== undefined) return known
    vocabulary.set(term, weights.length)
    places.push([])
    counts.push([])
    return weights.push(isCommon(term) ? ranking.common : 1) - 1
  }

  function restore({ terms: ids, counts: found, tokens, prior, beginsSession }: SavedEntry): void {
    const at = termEnds.length
    if (at === 0 || beginsSession) starts.push(at)
    let length = 0
    for (let place = 0; place < ids.length; place++) {
      places[ids[place]!]!.push(at)
      counts[ids[place]!]!.push(found[place]!)
      length += found[place]!
    }
    keepTerms(ids)
    lengths.push(length)
    lengthSums.push(length + (at > 0 ? lengthSums[at - 1]! : 0))
    tokenSums.push(tokens + (at > 0 ? tokenSums[at - 1]! : 0))
    sessions.push(starts.length - 1)
    priors.push(prior)
  }

  function keepTerms(ids: Int32Array): void {
    const start = termEnds.at(-1) ?? 0
    const end = start + ids.length
    if (end > terms.length) {
      const larger = new Int32Array(Math.max(end, 2 * terms.length))
      larger.set(terms)
      terms = larger
    }
    terms.set(ids, start)
    termEnds.push(end)
  }

  return {
    get size() {
      return termEnds.length
    },
    vocabulary,
    weights,
    places,
    counts,
    lengths,
    lengthSums,
    tokenSums,
    sessions,
    priors,
    starts,
    termsAt: entry => terms.subarray(termEnds[entry - 1] ?? 0, termEnds[entry]),
    idOf,
    restore,
    append({ text, isUser, isRecallable, tokens, beginsSession }) {
      const found = new Map<string, number>()
      for (const term of termsOf(text)) found.set(term, (found.get(term) ?? 0) + 1)
      let fresh = 0
      for (const term of found.keys()) if (!vocabulary.has(term)) fresh += 1
      const mention = 1 + ranking.firstMention * (found.size > 0 ? fresh / found.size : 0)
      const rule = isUser && isInstruction.test(withoutLabel(text)) ? ranking.instruction : 1
      const prior = isRecallable ? (mention * rule) / Math.max(1, tokens) ** ranking.length : 0
      const ids = Int32Array.from(found.keys(), idOf)
      restore({ terms: ids, counts: Int32Array.from(found.values()), tokens, prior, beginsSession })
    },
  }
}

/** Whether a text is a lasting wish, see `instruction`. */
const isInstruction =
  /^(?:always|never|please always|whenever)\b|\bi (?:really |usually |generally |always |much )?prefer\b|\bfrom now on\b|\bi(?:'d| would) (?:prefer|rather)\b/i

/** How many numbers of an ascending list are below a bound. */
export function countBelow(list: readonly number[], bound: number): number {
  const size = list.length
  if (size === 0 || list[size - 1]! < bound) return size
  return firstPlace(size, place => list[place]! >= bound)
}
