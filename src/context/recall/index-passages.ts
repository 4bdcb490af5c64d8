import { placeOf } from '../conversation/first-place.ts'
import { numberOf, type Passage } from './passage.ts'
import { toPosting } from './posting.ts'
import { emptyColumns, type RankedIndex, setEntry } from './recall-index.ts'

/** The index of some passages, one after the other: each message is an entry, each passage begins a session. */
export function indexPassages(passages: readonly Passage[]): RankedIndex {
  const size = passages.reduce((sum, { seqs }) => sum + seqs.length, 0)
  const said = passages.reduce((sum, { terms }) => sum + terms.length, 0)
  const table = createTable(said)
  const columns = emptyColumns()
  /** By entry: where its terms end. By term that was said: its place in the table, and its posting. */
  const ends = new Uint32Array(size)
  const places = new Int32Array(said)
  const given = new Uint32Array(said)
  let [entry, at] = [0, 0]
  for (const { tokens, flags, lengths, sizes, terms, counts } of passages) {
    let next = 0
    for (let message = 0; message < sizes.length; message++) {
      const before = table.size
      const length = lengths[message]!
      for (const end = next + sizes[message]!; next < end; next++, at++) {
        places[at] = table.add(terms[next]!)
        given[at] = toPosting(entry, length, counts[next]!)
      }
      setEntry(columns, entry, {
        terms: sizes[message]!,
        fresh: table.size - before,
        length,
        tokens: tokens[message]!,
        flags: flags[message]!,
      })
      ends[entry++] = at
    }
  }
  const postings = sortPostings(table.size, places, given)
  const placesAt = (entry: number) => places.subarray(entry > 0 ? ends[entry - 1] : 0, ends[entry])
  const upTo = (id: number, n: number) => {
    const list = postings(id)
    return n < size ? list.subarray(0, placeOf(list, toPosting(n, 0, 0))) : list
  }
  return {
    ...columns,
    size,
    vocabulary: { get: term => table.find(numberOf(term)) },
    termsAt: entry => Array.from(placesAt(entry)),
    has: (entry, id) => placesAt(entry).includes(id),
    frequency: (id, n) => upTo(id, n).length,
    postings(id, { n, most }) {
      const list = upTo(id, n)
      return [list.subarray(Math.max(0, list.length - most))]
    },
  }
}

/** Sorts postings by the places of their terms, and gives those of one: ascending, as they came. */
function sortPostings(size: number, places: Int32Array, given: Uint32Array): (id: number) => Uint32Array {
  const starts = new Uint32Array(size + 2)
  for (let at = 0; at < places.length; at++) starts[places[at]! + 2]! += 1
  for (let at = 1; at < starts.length; at++) starts[at]! += starts[at - 1]!
  const sorted = new Uint32Array(given.length)
  // Each start moves on to the next one as its list fills up.
  for (let at = 0; at < places.length; at++) sorted[starts[places[at]! + 1]!++] = given[at]!
  return id => sorted.subarray(starts[id], starts[id + 1])
}

/** Gives numbers places in the order in which they come. A map of so many numbers would take longer than the ranking. */
function createTable(most: number) {
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * most + 2)))
  const numbers = new Uint32Array(most)
  const last = slots.length - 1
  let size = 0
  /** The slot that has a number, or the one that is free for it. */
  function slotOf(number: number): number {
    let slot = number & last
    while (slots[slot]! > 0 && numbers[slots[slot]! - 1] !== number) slot = (slot + 1) & last
    return slot
  }
  return {
    get size() {
      return size
    },
    add(number: number): number {
      const slot = slotOf(number)
      if (slots[slot] === 0) {
        numbers[size] = number
        slots[slot] = ++size
      }
      return slots[slot]! - 1
    },
    find(number: number): number | undefined {
      const slot = slotOf(number)
      return slots[slot] === 0 ? undefined : slots[slot]! - 1
    },
  }
}
