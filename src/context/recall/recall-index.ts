import { firstPlace } from '../conversation/first-place.ts'
import * as ranking from './ranking.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** One unit of the conversation, as the index gets it. */
export interface RecallDocument {
  readonly text: string
  readonly isUser: boolean
  /** False for units that are never recalled; they keep their place and score nothing. */
  readonly isRecallable: boolean
  readonly tokens: number
  readonly beginsSession: boolean
}

/** The numbers of the terms, in the order in which they were first said. */
export interface Vocabulary {
  readonly size: number
  get(term: string): number | undefined
  set(term: string, id: number): void
  keys(): Iterable<string>
}

/** What is kept of each term and of each entry besides the words of the entries. */
export interface IndexColumns {
  readonly vocabulary: Vocabulary
  /** By entry: how many terms it has, these and its tokens as running sums, its session and its flags. */
  readonly lengths: number[]
  readonly lengthSums: number[]
  readonly tokenSums: number[]
  readonly sessions: number[]
  readonly flags: number[]
  /** By entry: the part of its score that no question changes. */
  readonly priors: number[]
  /** First entries of the sessions. */
  readonly starts: number[]
}

export const emptyColumns = (): IndexColumns => ({
  vocabulary: new Map<string, number>(),
  lengths: [],
  lengthSums: [],
  tokenSums: [],
  sessions: [],
  flags: [],
  priors: [],
  starts: [],
})

/** The flags of an entry. */
export const recallable = 1
export const instruction = 2
export const sessionStart = 4

function addTerm({ vocabulary }: IndexColumns, term: string): number {
  const id = vocabulary.size
  vocabulary.set(term, id)
  return id
}

/** Sets an entry: how many different terms it has, how many of them nobody had said before, how many terms in all. */
export function setEntry(
  columns: IndexColumns,
  at: number,
  terms: number,
  fresh: number,
  length: number,
  tokens: number,
  flags: number,
): void {
  const { lengths, lengthSums, tokenSums, sessions, priors, starts } = columns
  if (at === 0 || flags & sessionStart) starts.push(at)
  lengths[at] = length
  lengthSums[at] = length + (lengthSums[at - 1] ?? 0)
  tokenSums[at] = tokens + (tokenSums[at - 1] ?? 0)
  sessions[at] = starts.length - 1
  columns.flags[at] = flags
  const mention = 1 + ranking.firstMention * (fresh / (terms || 1))
  const rule = flags & instruction ? ranking.instruction : 1
  priors[at] = flags & recallable && (mention * rule) / penaltyOf(tokens)
}

/** What a score is divided by. Kept for the usual sizes: a restart needs a hundred thousand of them. */
const penaltyOf = (tokens: number) => (powers[tokens] ||= Math.max(1, tokens) ** ranking.length)

const powers = new Float64Array(1024)

/** Entries that have a term, in ascending order, and how often each has it. */
export interface Postings {
  readonly places: ArrayLike<number>
  readonly counts: ArrayLike<number>
}

/** Is shown the postings of a term from one place of its lists up to another. */
export type Visit = (postings: Postings, from: number, to: number) => void

/** The words of entries. */
export interface Words {
  /** The different terms of an entry. */
  termsAt(entry: number): readonly number[]
  /** Whether an entry has a term. */
  has(entry: number, id: number): boolean
  /** How many of the first n entries have a term. */
  frequency(id: number, n: number): number
  /** Shows the entries from one up to another that have a term, the newest `most` of them, in their order, many at a time. */
  visit(id: number, from: number, to: number, visit: Visit, most?: number): void
}

/**
 * The words of a conversation, append only. It can be asked as if only the first n entries existed, so that what was
 * recalled for a message depends only on what came before it, and is the same when computed again.
 */
export interface RecallIndex extends Words, Readonly<Omit<IndexColumns, 'vocabulary'>> {
  readonly size: number
  readonly vocabulary: Omit<Vocabulary, 'set'>
  append(document: RecallDocument): void
}

/** The columns may have entries already; the words of those are somewhere else. */
export function createRecallIndex(columns = emptyColumns()): RecallIndex {
  const { vocabulary, lengths } = columns
  const start = lengths.length
  const lists = new Map<number, { readonly places: number[]; readonly counts: number[] }>()
  const listOf = (id: number) => lists.get(id) ?? { places: [], counts: [] }
  const terms: (readonly number[])[] = []

  function below(id: number, n: number): number {
    const { places } = listOf(id)
    return firstPlace(places.length, at => places[at]! >= n)
  }

  return {
    ...columns,
    get size() {
      return lengths.length
    },
    termsAt: entry => terms[entry - start]!,
    has: (entry, id) => terms[entry - start]!.includes(id),
    frequency: below,
    visit(id, from, to, visit, most = Number.POSITIVE_INFINITY) {
      const end = below(id, to)
      visit(listOf(id), Math.max(below(id, from), end - most), end)
    },
    append({ text, isUser, isRecallable, tokens, beginsSession }) {
      const found = new Map<string, number>()
      const all = termsOf(text)
      for (const term of all) found.set(term, (found.get(term) ?? 0) + 1)
      const known = vocabulary.size
      const ids = Array.from(found, ([term, count]) => {
        const id = vocabulary.get(term) ?? addTerm(columns, term)
        const list = listOf(id)
        list.places.push(lengths.length)
        list.counts.push(count)
        lists.set(id, list)
        return id
      })
      terms.push(ids)
      const rule = isUser && isInstruction.test(withoutLabel(text)) ? instruction : 0
      const flags = (isRecallable ? recallable : 0) | rule | (beginsSession ? sessionStart : 0)
      setEntry(columns, lengths.length, found.size, vocabulary.size - known, all.length, tokens, flags)
    },
  }
}

/** Whether a text is a lasting wish, see `instruction`. */
const isInstruction =
  /^(?:please )?(?:always|never|whenever)\b|\bfrom now on\b|\bi(?:'d)? (?:\w+ )?(?:prefer|rather)\b/i
