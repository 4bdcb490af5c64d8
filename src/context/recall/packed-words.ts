import { firstPlace } from '../conversation/first-place.ts'
import { roomyList } from '../conversation/roomy-list.ts'
import { createPackedVocabulary } from './packed-vocabulary.ts'
import { entryOf, toPosting } from './posting.ts'
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
  const size = columns.sessions.length
  const index = createRecallIndex(columns)
  return {
    ...index,
    get size() {
      return index.size
    },
    termsAt: entry => (entry < size ? past : index).termsAt(entry),
    has: (entry, id) => (entry < size ? past : index).has(entry, id),
    frequency: (id, n) => past.frequency(id, n) + index.frequency(id, n),
    visit(id, n, most, visit) {
      const newer = index.frequency(id, n)
      if (most > newer) past.visit(id, n, most - newer, visit)
      // Lists of one kind: the loop that walks through them is compiled for one kind, and must not be compiled again.
      const copy: Visit = (postings, start, end) => {
        const list = new Uint32Array(Math.max(0, end - start))
        for (let at = start; at < end; at++) list[at - start] = postings[at]!
        visit(list, 0, end - start)
      }
      index.visit(id, n, most, copy)
    },
  }
}

/** The most postings in lists, 16 MB of them; then all are let go. */
const mostListed = 2 ** 22

export function createPackedWords(invalid: (why: string) => Error): PackedWords {
  const stretches: Stretch[] = []
  let entries = 0
  let terms = 0
  /** By term: how many entries have it. */
  let totals = new Int32Array(0)
  /** By stretch: the terms of its entries. Made when they are asked for. */
  const termsOf: (readonly (readonly number[])[])[] = []
  /** The postings of terms that were asked for: a conversation comes back to its words. */
  const lists = new Map<number, Uint32Array>()
  let listed = 0

  /** Reads the postings of a stretch that have the term in a slot. Returns how many there are. */
  function read(number: number, slot: number, list: Uint32Array, start: number): number {
    const { sizes, ends, codes, facts } = stretches[number]!
    const size = sizes[slot]!
    let at = slot > 0 ? ends[slot - 1]! : 0
    let entry = 0
    for (let next = start; next < start + size; next++) {
      let code = codes[at++]!
      // A distance takes two bytes at most, a count one.
      if (code > 127) code = (code & 127) | (codes[at++]! << 7)
      entry += code >> 1
      const count = code & 1 ? codes[at++]! : 1
      list[next] = toPosting(number * stretchSize + entry, facts[2][entry]!, count)
      entry += 1
    }
    return size
  }

  function listOf(id: number): Uint32Array {
    const known = lists.get(id)
    if (known) return known
    const total = totals[id] ?? 0
    const list = new Uint32Array(total)
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
    const list = new Uint32Array(stretchSize)
    const found: number[][] = Array.from({ length: stretchSize }, () => [])
    const { known, old, sizes } = stretches[number]!
    for (let slot = 0; slot < sizes.length; slot++) {
      const id = old[slot] ?? known + slot - old.length
      const size = read(number, slot, list, 0)
      for (let at = 0; at < size; at++) found[entryOf(list[at]!) - number * stretchSize]!.push(id)
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
      const list = new Uint32Array(slot < 0 ? 0 : stretches[number]!.sizes[slot]!)
      if (slot >= 0) read(number, slot, list, 0)
      return list.some(posting => entryOf(posting) === entry)
    },
    frequency: (id, n) => (n >= entries ? (totals[id] ?? 0) : placeOf(listOf(id), toPosting(n, 0, 0))),
    visit(id, n, most, visit) {
      const list = listOf(id)
      const end = placeOf(list, toPosting(n, 0, 0))
      visit(list, Math.max(0, end - most), end)
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
      const byEntry = () => roomyList<number>(entries)
      const columns: IndexColumns = {
        vocabulary: createPackedVocabulary(stretches),
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
