import { firstPlace } from '../conversation/first-place.ts'
import { entryOf, toPosting } from './posting.ts'
import * as ranking from './ranking.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** A unit of the conversation, as the index gets it. One without words keeps its place, scores nothing and is never recalled. */
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
export type IndexColumns = Readonly<ReturnType<typeof emptyColumns>>

/** Columns without entries. `byEntry`: makes a list with a number for each. */
export const emptyColumns = (
  vocabulary: Vocabulary = new Map<string, number>(),
  byEntry = (): number[] => [],
) => ({
  vocabulary,
  /** How many terms an entry has and its tokens, as running sums, its session and its flags. */
  lengthSums: byEntry(),
  tokenSums: byEntry(),
  sessions: byEntry(),
  flags: byEntry(),
  /** The part of an entry's score that no question changes. */
  priors: byEntry(),
  /** First entries of the sessions. */
  starts: [] as number[],
})

/** The flags of an entry. */
export const instruction = 1
const sessionStart = 2

/** What is known of an entry besides its words. */
export interface EntryFacts {
  /** How many different terms it has. */
  readonly terms: number
  /** How many of them no earlier entry has. */
  readonly fresh: number
  /** How many terms it has in all. */
  readonly length: number
  readonly tokens: number
  readonly flags: number
}

/** Sets the columns of an entry. Those before it are set. */
function setEntry(columns: IndexColumns, at: number, facts: EntryFacts): void {
  const { lengthSums, tokenSums, sessions, flags, priors, starts } = columns
  if (at === 0 || facts.flags & sessionStart) starts.push(at)
  lengthSums[at] = facts.length + (lengthSums[at - 1] ?? 0)
  tokenSums[at] = facts.tokens + (tokenSums[at - 1] ?? 0)
  sessions[at] = starts.length - 1
  flags[at] = facts.flags
  const mention = 1 + ranking.firstMention * (facts.fresh / facts.terms)
  const rule = facts.flags & instruction ? ranking.instruction : 1
  priors[at] = facts.terms === 0 ? 0 : (mention * rule) / penaltyOf(facts.tokens)
}

/** Sets the columns of entries in a row. */
export function setEntries(
  columns: IndexColumns,
  from: number,
  { terms, fresh, length, tokens, flags }: Readonly<Record<keyof EntryFacts, ArrayLike<number>>>,
): void {
  for (let at = 0; at < terms.length; at++) {
    const sizes = { terms: terms[at]!, fresh: fresh[at]!, length: length[at]!, tokens: tokens[at]! }
    setEntry(columns, from + at, { ...sizes, flags: flags[at]! })
  }
}

/** What a score is divided by: a long entry must earn its place. */
export const penaltyOf = (tokens: number): number => Math.max(1, tokens) ** ranking.length

/** The words of entries. */
export interface Words {
  /** The different terms of an entry. */
  termsAt(entry: number): readonly number[]
  /** Whether an entry has a term. */
  has(entry: number, id: number): boolean
  /** How many of the first n entries have a term. */
  frequency(id: number, n: number): number
  /** The newest `most` postings of a term among the first `n` entries, ascending. Always this type: the loop compiles once. */
  postings(id: number, wanted: { readonly n: number; readonly most: number }): readonly Uint32Array[]
}

/** An index as a ranking reads it. */
export interface RankedIndex extends Words, Readonly<Omit<IndexColumns, 'vocabulary'>> {
  readonly size: number
  readonly vocabulary: Pick<Vocabulary, 'get'>
}

/** The words of a conversation, append only. Asked as if only the first n entries existed, so a recall can be computed again. */
export interface RecallIndex extends RankedIndex {
  readonly vocabulary: Omit<Vocabulary, 'set'>
  append(document: RecallDocument): void
}

export function flagsOf({ text, isUser, beginsSession }: Omit<RecallDocument, 'tokens'>): number {
  const rule = isUser && isInstruction.test(withoutLabel(text)) ? instruction : 0
  return rule | (beginsSession ? sessionStart : 0)
}

/** The postings of a term, ascending: all but the newest as a ranking reads them, which it does again for every message. */
interface PostingList {
  readonly packed: Uint32Array[]
  readonly open: number[]
}

/** Postings that are packed at once. */
const packedSize = 256

/** The columns may have entries already; the words of those are somewhere else. */
export function createRecallIndex(columns = emptyColumns()): RecallIndex {
  const { vocabulary, sessions } = columns
  const start = sessions.length
  const lists = new Map<number, PostingList>()
  const listOf = (id: number): PostingList => lists.get(id) ?? { packed: [], open: [] }
  const terms: (readonly number[])[] = []

  function below(id: number, n: number): number {
    const { packed, open } = listOf(id)
    const size = packed.length * packedSize + open.length
    const postingAt = (place: number) => (packed[Math.floor(place / packedSize)] ?? open)[place % packedSize]!
    // Mostly the question is the newest: then nothing has to be looked for.
    return n < sessions.length ? firstPlace(size, place => entryOf(postingAt(place)) >= n) : size
  }

  return {
    ...columns,
    get size() {
      return sessions.length
    },
    termsAt: entry => terms[entry - start]!,
    has: (entry, id) => terms[entry - start]!.includes(id),
    frequency: below,
    postings(id, { n, most }) {
      const { packed, open } = listOf(id)
      const end = below(id, n)
      const from = Math.max(0, end - most)
      const parts: Uint32Array[] = []
      for (let first = from - (from % packedSize); first < end; first += packedSize) {
        const part = packed[first / packedSize] ?? new Uint32Array(open)
        parts.push(part.subarray(Math.max(0, from - first), end - first))
      }
      return parts
    },
    append({ text, isUser, tokens, beginsSession }) {
      const all = termsOf(text)
      const counts = new Map<string, number>()
      for (const term of all) counts.set(term, (counts.get(term) ?? 0) + 1)
      const before = vocabulary.size
      const ids = Array.from(counts, ([term, count]) => {
        const id = vocabulary.get(term) ?? vocabulary.size
        if (id === vocabulary.size) vocabulary.set(term, id)
        const list = listOf(id)
        list.open.push(toPosting(sessions.length, all.length, count))
        if (list.open.length === packedSize) list.packed.push(new Uint32Array(list.open.splice(0)))
        lists.set(id, list)
        return id
      })
      terms.push(ids)
      const flags = flagsOf({ text, isUser, beginsSession })
      const facts = { terms: counts.size, fresh: vocabulary.size - before, length: all.length, tokens, flags }
      setEntry(columns, sessions.length, facts)
    },
  }
}

/** Whether a text is a lasting wish, see `instruction`. */
const isInstruction =
  /^(?:please )?(?:always|never|whenever)\b|\bfrom now on\b|\bi(?:'d)? (?:\w+ )?(?:prefer|rather)\b/i
