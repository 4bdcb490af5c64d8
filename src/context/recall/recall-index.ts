import { firstPlace } from '../conversation/first-place.ts'
import { entryOf, toPosting } from './posting.ts'
import * as ranking from './ranking.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** One unit of the conversation, as the index gets it. One without words is never recalled: it keeps its place and scores nothing. */
export interface RecallDocument {
  readonly text: string
  readonly isUser: boolean
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
  /** By entry: how many terms it has and its tokens, as running sums, its session and its flags. */
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
  lengthSums: [],
  tokenSums: [],
  sessions: [],
  flags: [],
  priors: [],
  starts: [],
})

/** The flags of an entry. */
export const instruction = 1
export const sessionStart = 2

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
  const { lengthSums, tokenSums, sessions, flags: allFlags, priors, starts } = columns
  if (at === 0 || flags & sessionStart) starts.push(at)
  lengthSums[at] = length + (lengthSums[at - 1] ?? 0)
  tokenSums[at] = tokens + (tokenSums[at - 1] ?? 0)
  sessions[at] = starts.length - 1
  allFlags[at] = flags
  const mention = 1 + ranking.firstMention * (fresh / terms)
  const rule = flags & instruction ? ranking.instruction : 1
  priors[at] = terms && (mention * rule) / penaltyOf(tokens)
}

/** What a score is divided by: a long entry must earn its place. */
export const penaltyOf = (tokens: number): number => Math.max(1, tokens) ** ranking.length

/** Is shown the postings of a term, ascending, from one place of its list up to another. */
export type Visit = (postings: ArrayLike<number>, from: number, to: number) => void

/** The words of entries. */
export interface Words {
  /** The different terms of an entry. */
  termsAt(entry: number): readonly number[]
  /** Whether an entry has a term. */
  has(entry: number, id: number): boolean
  /** How many of the first n entries have a term. */
  frequency(id: number, n: number): number
  /** Shows those of the first n entries that have a term, the newest `most` of them, in their order, many at a time. */
  visit(id: number, n: number, most: number, visit: Visit): void
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
  const { vocabulary, sessions } = columns
  const start = sessions.length
  const lists = new Map<number, number[]>()
  const listOf = (id: number) => lists.get(id) ?? []
  const terms: (readonly number[])[] = []

  function below(id: number, n: number): number {
    const list = listOf(id)
    // Mostly the question is the newest: then nothing has to be looked for.
    return n < sessions.length ? firstPlace(list.length, at => entryOf(list[at]!) >= n) : list.length
  }

  return {
    ...columns,
    get size() {
      return sessions.length
    },
    termsAt: entry => terms[entry - start]!,
    has: (entry, id) => terms[entry - start]!.includes(id),
    frequency: below,
    visit(id, n, most, visit) {
      const end = below(id, n)
      visit(listOf(id), Math.max(0, end - most), end)
    },
    append({ text, isUser, tokens, beginsSession }) {
      const found = new Map<string, number>()
      const all = termsOf(text)
      for (const term of all) found.set(term, (found.get(term) ?? 0) + 1)
      const known = vocabulary.size
      const ids = Array.from(found, ([term, count]) => {
        const id = vocabulary.get(term) ?? vocabulary.size
        if (id === vocabulary.size) vocabulary.set(term, id)
        const list = listOf(id)
        list.push(toPosting(sessions.length, all.length, count))
        lists.set(id, list)
        return id
      })
      terms.push(ids)
      const rule = isUser && isInstruction.test(withoutLabel(text)) ? instruction : 0
      const flags = rule | (beginsSession ? sessionStart : 0)
      setEntry(columns, sessions.length, found.size, vocabulary.size - known, all.length, tokens, flags)
    },
  }
}

/** Whether a text is a lasting wish, see `instruction`. */
const isInstruction =
  /^(?:please )?(?:always|never|whenever)\b|\bfrom now on\b|\bi(?:'d)? (?:\w+ )?(?:prefer|rather)\b/i
