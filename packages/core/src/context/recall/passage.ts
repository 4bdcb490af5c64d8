import { ThroughlineError } from '../../log/error.ts'
import { hashOf } from '../../log/hash-text.ts'
import { type Column, createReader, createWriter, seal, unseal } from '../../log/pack-bytes.ts'
import { placeOf } from '../conversation/first-place.ts'
import { pause } from './index-transcript.ts'
import { entryOf, toPosting } from './posting.ts'
import { emptyColumns, flagsOf, type RankedIndex, setEntries } from './recall-index.ts'
import { termsOf } from './terms.ts'

/** Something that was said, and how many tokens it has. */
export interface SpokenText {
  readonly role: 'user' | 'assistant'
  readonly text: string
  readonly time: number
  readonly tokens: number
}

/** What was said in a row, as numbers for a ranking and without texts: a person's hundred thousand messages fit into memory. */
export interface Passage extends PassageColumns<Column> {
  /** When the first and the last message were said; undefined without messages. */
  readonly first: number | undefined
  readonly last: number | undefined
  /** The ids of its messages, as JSON: hardly any is asked for. */
  readonly ids: string
  /** The same as bytes, to be stored. */
  readonly bytes: Uint8Array
}

/**
 * The columns. By message: its place in the log, its tokens, its flags, how many terms it has, and how many different ones. By
 * term, ordered by hash: the hash, where its postings end, and these: eight times the place of a message in the passage, plus
 * how often it has the term, at most 7. Of a hundred thousand terms about one shares its hash with another, which no ranking
 * shows; a vocabulary would have to be kept for each person.
 */
const names = ['seqs', 'tokens', 'flags', 'lengths', 'sizes', 'terms', 'ends', 'postings'] as const

type PassageColumns<List> = Readonly<Record<(typeof names)[number], List>>

const mapColumns = <List>(of: (name: (typeof names)[number]) => List): PassageColumns<List> =>
  Object.fromEntries(names.map(name => [name, of(name)])) as PassageColumns<List>

/** The passage that goes on with what was said, oldest first. */
export function addToPassage(
  before: Passage | undefined,
  messages: readonly (SpokenText & { readonly seq: number; readonly id: string })[],
): Passage {
  const columns = mapColumns(name => Array.from<number>(before?.[name] ?? []))
  const lists = new Map(
    columns.terms.map((term, at) => [term, columns.postings.slice(...rangeOf(columns, at))]),
  )
  const first = before?.first ?? messages[0]?.time
  let last = before?.last
  const ids: string[] = before ? JSON.parse(before.ids) : []
  for (const { role, text, time, tokens, seq, id } of messages) {
    const message = columns.seqs.push(seq) - 1
    const all = termsOf(text)
    const counts = new Map<number, number>()
    for (const number of all.map(hashOf)) counts.set(number, (counts.get(number) ?? 0) + 1)
    for (const [number, count] of counts) {
      const posting = 8 * message + Math.min(7, count)
      const list = lists.get(number)
      if (list) list.push(posting)
      else lists.set(number, [posting])
    }
    const beginsSession = last === undefined || time - last > pause
    columns.tokens.push(tokens)
    columns.flags.push(flagsOf({ text, isUser: role === 'user', beginsSession }))
    columns.lengths.push(all.length)
    columns.sizes.push(counts.size)
    ids.push(id)
    last = time
  }
  const terms = [...lists.keys()].sort((a, b) => a - b)
  const postings = terms.flatMap(term => lists.get(term)!)
  let end = 0
  const ends = terms.map(term => (end += lists.get(term)!.length))
  const bytes = createWriter()
  bytes.optional(first)
  bytes.optional(last)
  bytes.text(JSON.stringify(ids))
  for (const name of names) bytes.numbers({ ...columns, terms, ends, postings }[name])
  return readPassage(seal(version, bytes.done()))
}

/** Where the postings of a term begin and end. */
export const rangeOf = ({ ends }: Pick<PassageColumns<ArrayLike<number>>, 'ends'>, at: number) =>
  [at > 0 ? ends[at - 1]! : 0, ends[at]!] as const

/** Reads the bytes of a passage. Throws where they were changed, or written by another version. */
export function readPassage(bytes: Uint8Array): Passage {
  const reader = createReader(unseal(version, bytes, unusable), unusable)
  const first = reader.optional()
  const last = reader.optional()
  const ids = reader.text()
  const columns = mapColumns(() => reader.numbers())
  const { seqs, tokens, flags, lengths, sizes, terms, ends, postings } = columns
  const isWhole =
    [tokens, flags, lengths, sizes].every(({ length }) => length === seqs.length) &&
    ends.length === terms.length &&
    (ends.at(-1) ?? 0) === postings.length
  if (!isWhole) throw unusable('its parts do not fit together')
  return { first, last, ids, ...columns, bytes }
}

/** Changes with the layout and the terms: a passage of another version is made anew. */
const version = 1

const unusable = (why: string) =>
  new ThroughlineError(
    'passage_unusable',
    `A stored passage cannot be used: ${why}. It is made anew from the log.`,
  )

/** The index of some passages, one after the other: each message is an entry. Only the terms that are asked for are read. */
export function indexPassages(passages: readonly Passage[]): RankedIndex {
  const columns = emptyColumns()
  const firsts: number[] = []
  const isNew = createIsNew(passages.reduce((sum, { terms }) => sum + terms.length, 0))
  let size = 0
  for (const passage of passages) {
    const { tokens, flags, lengths, sizes } = passage
    const fresh = countNew(passage, isNew)
    firsts.push(size)
    setEntries(columns, size, { terms: sizes, fresh, length: lengths, tokens, flags })
    size += sizes.length
  }
  const lists = new Map<number, Uint32Array>()
  const termsIn: (readonly (readonly number[])[])[] = []

  /** The postings of a term in all passages. */
  function listOf(term: number): Uint32Array {
    const cached = lists.get(term)
    if (cached) return cached
    const all: number[] = []
    for (const [number, { terms, ends, postings, lengths }] of passages.entries()) {
      const slot = placeOf(terms, term)
      if (terms[slot] !== term) continue
      const [from, to] = rangeOf({ ends }, slot)
      for (let at = from; at < to; at++) {
        const message = postings[at]! >> 3
        all.push(toPosting(firsts[number]! + message, lengths[message]!, postings[at]! & 7))
      }
    }
    const list = Uint32Array.from(all)
    lists.set(term, list)
    return list
  }

  const before = (list: Uint32Array, n: number) =>
    n < size ? placeOf(list, toPosting(n, 0, 0)) : list.length
  return {
    ...columns,
    size,
    vocabulary: { get: hashOf },
    termsAt(entry) {
      // The last passage that begins there: those before it are empty.
      const number = placeOf(firsts, entry + 1) - 1
      termsIn[number] ??= termsByMessage(passages[number]!)
      return termsIn[number][entry - firsts[number]!]!
    },
    has(entry, term) {
      const list = listOf(term)
      const at = before(list, entry)
      return at < list.length && entryOf(list[at]!) === entry
    },
    frequency: (term, n) => before(listOf(term), n),
    postings(term, { n, most }) {
      const list = listOf(term)
      const end = before(list, n)
      return [list.subarray(Math.max(0, end - most), end)]
    },
  }
}

/** By message: how many of its terms were said in no message before it, in none of the passages. */
function countNew(
  { seqs, terms, ends, postings }: Passage,
  isNew: (term: number) => boolean,
): Uint32Array {
  const counts = new Uint32Array(seqs.length)
  for (let slot = 0; slot < terms.length; slot++)
    if (isNew(terms[slot]!)) counts[postings[rangeOf({ ends }, slot)[0]]! >> 3]! += 1
  return counts
}

/** Tells of each number whether it comes for the first time. A `Set` of numbers of this size would take longer than the ranking. */
function createIsNew(most: number): (number: number) => boolean {
  const slots = new Uint32Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  const last = slots.length - 1
  return number => {
    // 0 is a free slot.
    const wanted = number || 1
    let slot = wanted & last
    while (slots[slot] !== 0 && slots[slot] !== wanted) slot = (slot + 1) & last
    const isFree = slots[slot] === 0
    slots[slot] = wanted
    return isFree
  }
}

function termsByMessage({ seqs, terms, ends, postings }: Passage): readonly (readonly number[])[] {
  const byMessage: number[][] = Array.from(seqs, () => [])
  let at = 0
  for (let slot = 0; slot < terms.length; slot++)
    for (; at < ends[slot]!; at++) byMessage[postings[at]! >> 3]!.push(terms[slot]!)
  return byMessage
}
