import { hashOf } from '../../log/hash-text.ts'
import { placeOf } from '../conversation/first-place.ts'
import { type Passage, rangeOf } from './passage.ts'
import { entryOf, toPosting } from './posting.ts'
import { emptyColumns, type RankedIndex, setEntries } from './recall-index.ts'

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
function countNew({ seqs, terms, ends, postings }: Passage, isNew: (term: number) => boolean): Uint32Array {
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
