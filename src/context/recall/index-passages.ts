import { placeOf } from '../conversation/first-place.ts'
import { numberOf, type Passage, rangeOf } from './passage.ts'
import { entryOf, toPosting } from './posting.ts'
import { emptyColumns, type RankedIndex, setEntry } from './recall-index.ts'

/** The index of some passages, one after the other: each message is an entry. Only the terms that are asked for are read. */
export function indexPassages(passages: readonly Passage[]): RankedIndex {
  const columns = emptyColumns()
  const firsts: number[] = []
  let size = 0
  for (const { tokens, flags, lengths, sizes, fresh } of passages) {
    firsts.push(size)
    for (let at = 0; at < sizes.length; at++)
      setEntry(columns, size++, {
        terms: sizes[at]!,
        fresh: fresh[at]!,
        length: lengths[at]!,
        tokens: tokens[at]!,
        flags: flags[at]!,
      })
  }
  const lists = new Map<number, Uint32Array>()
  const termsIn: (readonly (readonly number[])[])[] = []

  /** The postings of a term in all passages. */
  function listOf(term: number): Uint32Array {
    const known = lists.get(term)
    if (known) return known
    const found: number[] = []
    for (const [number, { terms, ends, postings, lengths }] of passages.entries()) {
      const slot = placeOf(terms, term)
      if (terms[slot] !== term) continue
      const [from, to] = rangeOf({ ends }, slot)
      for (let at = from; at < to; at++) {
        const message = postings[at]! >> 3
        found.push(toPosting(firsts[number]! + message, lengths[message]!, postings[at]! & 7))
      }
    }
    const list = Uint32Array.from(found)
    lists.set(term, list)
    return list
  }

  const before = (list: Uint32Array, n: number) =>
    n < size ? placeOf(list, toPosting(n, 0, 0)) : list.length
  return {
    ...columns,
    size,
    vocabulary: { get: numberOf },
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

function termsByMessage({ seqs, terms, ends, postings }: Passage): readonly (readonly number[])[] {
  const found: number[][] = Array.from(seqs, () => [])
  let at = 0
  for (let slot = 0; slot < terms.length; slot++)
    for (; at < ends[slot]!; at++) found[postings[at]! >> 3]!.push(terms[slot]!)
  return found
}
