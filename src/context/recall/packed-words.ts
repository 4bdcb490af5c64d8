import { firstPlace } from '../conversation/first-place.ts'
import { createPackedVocabulary } from './packed-vocabulary.ts'
import {
  createRecallIndex,
  type IndexColumns,
  type RecallIndex,
  setEntry,
  type Visit,
  type Words,
} from './recall-index.ts'
import { readStretch, type Stretch, stretchSize } from './stretch.ts'

/** The words of stretches that were packed. */
interface PackedWords extends Words {
  /** Reads the next stretch, whole or not at all: throws if it is broken or does not follow the one before it. */
  add(packed: Uint8Array): void
  /** What is known of the terms and entries of all stretches. */
  columns(): IndexColumns
}

/** An index whose first entries stay packed: nobody asks for most of their words. */
export function indexAfter(past: PackedWords): RecallIndex {
  const columns = past.columns()
  const size = columns.lengths.length
  const index = createRecallIndex(columns)
  return {
    ...index,
    get size() {
      return index.size
    },
    termsAt: entry => (entry < size ? past : index).termsAt(entry),
    has: (entry, id) => (entry < size ? past : index).has(entry, id),
    frequency: (id, n) => past.frequency(id, n) + index.frequency(id, n),
    visit(id, from, to, visit, most = Number.POSITIVE_INFINITY) {
      const newer = index.frequency(id, to) - index.frequency(id, from)
      if (most > newer) past.visit(id, from, to, visit, most - newer)
      // Lists of one kind: the loop that walks through them is compiled for one kind, and must not be compiled again.
      const copy: Visit = ({ places, counts }, start, end) => {
        const list = createListed(end - start)
        for (let at = start; at < end; at++) {
          list.places[at - start] = places[at]!
          list.counts[at - start] = counts[at]!
        }
        visit(list, 0, end - start)
      }
      index.visit(id, from, to, copy, most)
    },
  }
}

/** The most postings in lists, 32 MB of them; then all are let go. */
const mostListed = 2 ** 22

/** The postings of a term, unpacked. */
interface Listed {
  readonly places: Int32Array
  readonly counts: Int32Array
}

const createListed = (size: number): Listed => ({
  places: new Int32Array(size),
  counts: new Int32Array(size),
})

export function createPackedWords(invalid: (why: string) => Error): PackedWords {
  const stretches: Stretch[] = []
  let entries = 0
  let terms = 0
  /** By term: how many entries have it. */
  let totals = new Int32Array(0)
  /** By stretch: the terms of its entries. Made when they are asked for. */
  const termsOf: (readonly (readonly number[])[])[] = []
  /** The postings of terms that were asked for: a conversation comes back to its words. */
  const lists = new Map<number, Listed>()
  let listed = 0

  /** Reads the entries of a stretch that have the term in a slot. Returns how many there are. */
  function read(number: number, slot: number, { places, counts }: Listed, start: number): number {
    const { sizes, ends, codes } = stretches[number]!
    const size = sizes[slot]!
    let at = slot > 0 ? ends[slot - 1]! : 0
    let place = number * stretchSize
    for (let next = start; next < start + size; next++) {
      let code = codes[at++]!
      // A distance takes two bytes at most, a count may take more.
      if (code > 127) code = (code & 127) | (codes[at++]! << 7)
      place += code >> 1
      places[next] = place++
      let count = 1
      if (code & 1) {
        count = 0
        let shift = 0
        for (; codes[at]! > 127; shift += 7) count |= (codes[at++]! & 127) << shift
        count |= codes[at++]! << shift
      }
      counts[next] = count
    }
    return size
  }

  function listOf(id: number): Listed {
    const known = lists.get(id)
    if (known) return known
    const total = totals[id] ?? 0
    const list = createListed(total)
    // No stretch before the one in which a term was new has it.
    let at = Math.max(0, firstPlace(stretches.length, number => stretches[number]!.known > id) - 1)
    for (let size = 0; size < total && at < stretches.length; at++) {
      const slot = slotOf(stretches[at]!, id)
      if (slot >= 0) size += read(at, slot, list, size)
    }
    listed += total
    if (listed > mostListed) {
      lists.clear()
      listed = total
    }
    lists.set(id, list)
    return list
  }

  function termsIn(number: number): readonly (readonly number[])[] {
    const list = createListed(stretchSize)
    const found: number[][] = Array.from({ length: stretchSize }, () => [])
    const { known, old, sizes } = stretches[number]!
    for (let slot = 0; slot < sizes.length; slot++) {
      const id = old[slot] ?? known + slot - old.length
      const size = read(number, slot, list, 0)
      for (let at = 0; at < size; at++) found[list.places[at]! - number * stretchSize]!.push(id)
    }
    return found
  }

  return {
    termsAt(entry) {
      const number = Math.floor(entry / stretchSize)
      const found = termsOf[number] ?? termsIn(number)
      termsOf[number] = found
      return found[entry % stretchSize]!
    },
    has(entry, id) {
      // Most terms that are asked about were not unpacked: only the stretch of the entry is read.
      const number = Math.floor(entry / stretchSize)
      const slot = slotOf(stretches[number]!, id)
      const list = createListed(slot < 0 ? 0 : stretches[number]!.sizes[slot]!)
      if (slot >= 0) read(number, slot, list, 0)
      return list.places.includes(entry)
    },
    frequency: (id, n) => (n >= entries ? (totals[id] ?? 0) : placeOf(listOf(id).places, n)),
    visit(id, from, to, visit, most = Number.POSITIVE_INFINITY) {
      if (from >= entries) return
      const list = listOf(id)
      const end = placeOf(list.places, to)
      visit(list, Math.max(placeOf(list.places, from), end - most), end)
    },
    add(packed) {
      const stretch = readStretch(packed, invalid)
      if (stretch.known !== terms || entries % stretchSize > 0)
        throw invalid('it does not follow the one before it')
      stretches.push(stretch)
      terms += stretch.fresh
      entries += stretch.facts[0].length
    },
    columns() {
      const byEntry = () => new Array<number>(entries)
      const columns: IndexColumns = {
        vocabulary: createPackedVocabulary(stretches),
        lengths: byEntry(),
        lengthSums: byEntry(),
        tokenSums: byEntry(),
        sessions: byEntry(),
        flags: byEntry(),
        priors: byEntry(),
        starts: [],
      }
      totals = new Int32Array(terms)
      for (const [number, stretch] of stretches.entries()) {
        addSizes(totals, stretch)
        setEntries(columns, number * stretchSize, stretch)
      }
      return columns
    },
  }
}

// Small functions, which are compiled soon: a restart has no time to wait for large ones.

function addSizes(totals: Int32Array, { known, old, sizes }: Stretch): void {
  totals.set(sizes.subarray(old.length), known)
  for (let slot = 0; slot < old.length; slot++) totals[old[slot]!]! += sizes[slot]!
}

function setEntries(columns: IndexColumns, from: number, { facts }: Stretch): void {
  const [terms, fresh, lengths, tokens, flags] = facts
  for (let at = 0; at < terms.length; at++)
    setEntry(columns, from + at, terms[at]!, fresh[at]!, lengths[at]!, tokens[at]!, flags[at]!)
}

/** Where a stretch has the postings of a term; -1 if it has none. */
function slotOf({ known, fresh, old }: Stretch, id: number): number {
  if (id >= known) return id < known + fresh ? old.length + id - known : -1
  const slot = placeOf(old, id)
  return old[slot] === id ? slot : -1
}

/** The first place of an ascending list that has a number, or a larger one. */
function placeOf(list: ArrayLike<number>, number: number): number {
  return firstPlace(list.length, place => list[place]! >= number)
}
