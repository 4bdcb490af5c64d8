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
  /** The terms of its text, where they are known. */
  readonly terms?: readonly string[]
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
  termsAt(entry: number): Iterable<number> & ArrayLike<number>
  /** Whether an entry has a term. */
  has(entry: number, id: number): boolean
  /** How many of the first n entries have a term. */
  frequency(id: number, n: number): number
  /** The newest `most` postings of a term among the first `n` entries, ascending. Always this type: the loop compiles once. */
  postings(
    id: number,
    wanted: { readonly n: number; readonly most: number },
  ): readonly Uint32Array[]
}

/** An index as a ranking reads it. */
export interface RankedIndex extends Words, Readonly<Omit<IndexColumns, 'vocabulary'>> {
  readonly size: number
  readonly vocabulary: Pick<Vocabulary, 'get'>
}

/** The words of a conversation, append only. Asked as if only the first n entries existed, so a recall can be computed again. */
export interface RecallIndex extends RankedIndex {
  readonly vocabulary: Omit<Vocabulary, 'set'>
  /** Whether one of the entries from one on has a term. */
  isSince(id: number, entry: number): boolean
  append(document: RecallDocument): void
}

export function flagsOf({
  text,
  isUser,
  beginsSession,
}: Omit<RecallDocument, 'tokens' | 'terms'>): number {
  const rule = isUser && isInstruction.test(withoutLabel(text)) ? instruction : 0
  return rule | (beginsSession ? sessionStart : 0)
}

/** The postings of a term, ascending: all but the newest as a ranking reads them, which it does again for every message. */
interface PostingList {
  packed: Uint32Array[] | undefined
  open: number[]
}

/** Postings that are packed at once. */
const packedSize = 256

const noPostings: PostingList = { packed: undefined, open: [] }

/** The columns may have entries already; the words of those are somewhere else. */
export function createRecallIndex(columns = emptyColumns()): RecallIndex {
  const { vocabulary, sessions } = columns
  const start = sessions.length
  const firstTerm = vocabulary.size
  /** By term, the first new one first; and of those that the columns have. */
  const lists: PostingList[] = []
  const older = new Map<number, PostingList>()
  /** The terms of all entries in one row, and where those of each end. */
  const terms = { ids: new Int32Array(1024), ends: [] as number[] }
  /** By term: how often the entry that is being read has it, up to 255. */
  let counts = new Uint8Array(1024)

  function listOf(id: number): PostingList {
    return (id < firstTerm ? older.get(id) : lists[id - firstTerm]) ?? noPostings
  }

  function below(id: number, n: number): number {
    const { packed = [], open } = listOf(id)
    const size = packed.length * packedSize + open.length
    // Mostly the question is the newest: then nothing has to be looked for.
    if (n >= sessions.length) return size
    const postingAt = (place: number) =>
      (packed[Math.floor(place / packedSize)] ?? open)[place % packedSize]!
    return firstPlace(size, place => entryOf(postingAt(place)) >= n)
  }

  return {
    ...columns,
    get size() {
      return sessions.length
    },
    termsAt,
    has: (entry, id) => termsAt(entry).includes(id),
    frequency: below,
    isSince(id, entry) {
      const { packed, open } = listOf(id)
      const newest = open.at(-1) ?? packed?.at(-1)?.at(-1)
      return newest !== undefined && entryOf(newest) >= entry
    },
    postings(id, { n, most }) {
      const { packed = [], open } = listOf(id)
      const end = below(id, n)
      const from = Math.max(0, end - most)
      const parts: Uint32Array[] = []
      for (let first = from - (from % packedSize); first < end; first += packedSize) {
        const part = packed[first / packedSize] ?? new Uint32Array(open)
        parts.push(part.subarray(Math.max(0, from - first), end - first))
      }
      return parts
    },
    append({ text, isUser, tokens, beginsSession, terms: all = termsOf(text) }) {
      const before = vocabulary.size
      const entry = sessions.length
      const from = terms.ends.at(-1) ?? 0
      if (from + all.length > terms.ids.length) {
        const more = new Int32Array(2 * (from + all.length))
        more.set(terms.ids)
        terms.ids = more
      }
      let end = from
      for (const term of all) {
        const id = idOf(term)
        if (counts[id] === 0) terms.ids[end++] = id
        if (counts[id]! < 255) counts[id]! += 1
      }
      for (let at = from; at < end; at++) {
        const id = terms.ids[at]!
        addPosting(id, toPosting(entry, all.length, counts[id]!))
        counts[id] = 0
      }
      terms.ends.push(end)
      const flags = flagsOf({ text, isUser, beginsSession })
      const facts = {
        terms: end - from,
        fresh: vocabulary.size - before,
        length: all.length,
        tokens,
        flags,
      }
      setEntry(columns, entry, facts)
    },
  }

  function idOf(term: string): number {
    const known = vocabulary.get(term)
    if (known !== undefined && known < counts.length) return known
    const id = known ?? vocabulary.size
    if (known === undefined) vocabulary.set(term, id)
    if (id >= counts.length) {
      const more = new Uint8Array(2 * id)
      more.set(counts)
      counts = more
    }
    return id
  }

  function termsAt(entry: number): Int32Array {
    const place = entry - start
    return terms.ids.subarray(terms.ends[place - 1] ?? 0, terms.ends[place])
  }

  function addPosting(id: number, posting: number): void {
    const list = listOf(id)
    if (list === noPostings) {
      const one: PostingList = { packed: undefined, open: [posting] }
      if (id < firstTerm) older.set(id, one)
      else lists[id - firstTerm] = one
      return
    }
    list.open.push(posting)
    if (list.open.length < packedSize) return
    const full = new Uint32Array(list.open)
    if (list.packed) list.packed.push(full)
    else list.packed = [full]
    list.open = []
  }
}

/** Whether a text is a lasting wish, see `instruction`. */
const isInstruction =
  /^(?:please )?(?:always|never|whenever)\b|\bfrom now on\b|\bi(?:'d)? (?:\w+ )?(?:prefer|rather)\b/i
