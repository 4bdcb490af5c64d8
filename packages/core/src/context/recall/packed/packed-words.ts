import { ThroughlineError } from '../../../log/error.ts'
import { createReader, createWriter, seal, unseal } from '../../../log/pack-bytes.ts'
import { firstPlace, placeOf } from '../../conversation/first-place.ts'
import { roomyList } from '../../conversation/lazy-list.ts'
import { entryOf, toPosting } from '../posting.ts'
import {
  createRecallIndex,
  emptyColumns,
  type RecallIndex,
  setEntries,
  type Words,
} from '../recall-index.ts'
import { type PackedStretch, packStretch, readStretch, stretchSize } from './packed-stretch.ts'
import { createPackedVocabulary } from './packed-vocabulary.ts'

type PackedWords = ReturnType<typeof createPackedWords>

/** An index whose first entries stay packed: most of their words are never searched for. */
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
    isSince: (id, entry) =>
      index.isSince(id, entry) ||
      (entry < size && past.frequency(id, size) > past.frequency(id, entry)),
    postings(id, { n, most }) {
      const older = most - index.frequency(id, n)
      const newer = index.postings(id, { n, most })
      return older > 0 ? past.postings(id, { n, most: older }).concat(newer) : newer
    },
  }
}

/** The most postings in lists, 16 MB of them; then all are let go. */
const mostListed = 2 ** 22

/** The words of stretches that were packed. */
export function createPackedWords(invalid: (why: string) => Error) {
  const stretches: PackedStretch[] = []
  let entries = 0
  let terms = 0
  /** By term: how many entries have it. */
  let totals = new Int32Array(0)
  /** By stretch: the terms of its entries. Made when they are asked for. */
  const termsOf: (readonly (readonly number[])[])[] = []
  /** The postings of terms that were asked for: a conversation comes back to its words. */
  const lists = new Map<number, Uint32Array>()
  let listed = 0

  function listOf(id: number): Uint32Array {
    const cached = lists.get(id)
    if (cached) return cached
    const total = totals[id] ?? 0
    const list = new Uint32Array(total)
    // No stretch before the one in which a term was new has it.
    let at = Math.max(
      0,
      firstPlace(stretches.length, number => stretches[number]!.termsBefore > id) - 1,
    )
    for (let size = 0; size < total && at < stretches.length; at++) {
      const slot = slotOf(stretches[at]!, id)
      if (slot < 0) continue
      const part = list.subarray(size, size + stretches[at]!.sizes[slot]!)
      readPostings(stretches[at]!, { slot, from: at * stretchSize }, part)
      size += part.length
    }
    listed += total
    if (listed > mostListed) {
      lists.clear()
      listed = total
    }
    lists.set(id, list)
    return list
  }

  const words: Words = {
    termsAt(entry) {
      const number = Math.floor(entry / stretchSize)
      const byEntry = termsOf[number] ?? termsByEntry(stretches[number]!)
      termsOf[number] = byEntry
      return byEntry[entry % stretchSize]!
    },
    has(entry, id) {
      // Most terms that are asked about were not unpacked: only the stretch of the entry is read.
      const stretch = stretches[Math.floor(entry / stretchSize)]!
      const slot = slotOf(stretch, id)
      if (slot < 0) return false
      const list = readPostings(stretch, { slot, from: 0 })
      return list.some(posting => entryOf(posting) === entry % stretchSize)
    },
    frequency: (id, n) =>
      n >= entries ? (totals[id] ?? 0) : placeOf(listOf(id), toPosting(n, 0, 0)),
    postings(id, { n, most }) {
      const list = listOf(id)
      const end = placeOf(list, toPosting(n, 0, 0))
      return [list.subarray(Math.max(0, end - most), end)]
    },
  }
  return {
    ...words,
    /** Reads the next stretch, whole or not at all: throws if it is broken or does not follow the one before it. */
    add(packed: Uint8Array): void {
      const stretch = readStretch(packed, invalid)
      if (stretch.termsBefore !== terms || entries % stretchSize > 0)
        throw invalid('it does not follow the one before it')
      stretches.push(stretch)
      terms += stretch.fresh
      entries += stretch.facts.terms.length
    },
    /** What is known of the terms and entries of all stretches. */
    columns() {
      const columns = emptyColumns(createPackedVocabulary(stretches), () =>
        roomyList<number>(entries),
      )
      totals = new Int32Array(terms)
      for (const [number, stretch] of stretches.entries()) {
        addSizes(totals, stretch)
        setEntries(columns, number * stretchSize, stretch.facts)
      }
      return columns
    },
  }
}

/** The postings of the term in a slot; `from` is the first entry of the stretch. They are written into `list`. */
function readPostings(
  { sizes, ends, codes, facts }: PackedStretch,
  { slot, from }: { readonly slot: number; readonly from: number },
  list = new Uint32Array(sizes[slot]!),
): Uint32Array {
  let at = slot > 0 ? ends[slot - 1]! : 0
  let entry = 0
  for (let place = 0; place < list.length; place++) {
    let code = codes[at++]!
    // A distance takes two bytes at most, a count one.
    if (code > 127) code = (code & 127) | (codes[at++]! << 7)
    entry += code >> 1
    const count = code & 1 ? codes[at++]! : 1
    list[place] = toPosting(from + entry, facts.length[entry]!, count)
    entry += 1
  }
  return list
}

/** The terms of each entry of a stretch. */
function termsByEntry(stretch: PackedStretch): readonly (readonly number[])[] {
  const byEntry: number[][] = Array.from({ length: stretchSize }, () => [])
  const { termsBefore, old, sizes } = stretch
  for (let slot = 0; slot < sizes.length; slot++) {
    const id = old[slot] ?? termsBefore + slot - old.length
    for (const posting of readPostings(stretch, { slot, from: 0 }))
      byEntry[entryOf(posting)]!.push(id)
  }
  return byEntry
}

/** A small function, which is compiled soon: a restart has no time to wait for a large one. */
function addSizes(totals: Int32Array, { termsBefore, old, sizes }: PackedStretch): void {
  totals.set(sizes.subarray(old.length), termsBefore)
  for (let slot = 0; slot < old.length; slot++) totals[old[slot]!]! += sizes[slot]!
}

/** Where a stretch has the postings of a term; -1 if it has none. */
function slotOf({ termsBefore, fresh, old }: PackedStretch, id: number): number {
  if (id >= termsBefore) return id < termsBefore + fresh ? old.length + id - termsBefore : -1
  const slot = placeOf(old, id)
  return old[slot] === id ? slot : -1
}

/** Changes with the terms, the stems or the layout: an index of another version is rebuilt from the log. */
const version = 10

/** Packs an index, with the time of its last entry. A cache that can be rebuilt from the conversation. */
export function packIndex(index: RecallIndex, time?: number): Uint8Array {
  const bytes = createWriter()
  bytes.optional(time)
  const stretches = Math.ceil(index.size / stretchSize)
  bytes.number(stretches)
  for (let at = 0; at < stretches; at++) {
    const packed = packStretch(index, at)
    bytes.number(packed.length)
    bytes.bytes(packed)
  }
  return seal(version, bytes.done())
}

/** Reads a packed index. Throws when the bytes are of another version or broken: then rebuild it from the log. */
export function unpackIndex(packed: Uint8Array) {
  const bytes = createReader(unseal(version, packed, invalid), invalid)
  const time = bytes.optional()
  const words = createPackedWords(invalid)
  for (let left = bytes.number(); left > 0; left--) words.add(bytes.bytes(bytes.number()))
  return { index: indexAfter(words), time }
}

const invalid = (why: string) =>
  new ThroughlineError(
    'invalid_index',
    `The saved recall index cannot be used: ${why}. Build it again from the log.`,
  )
