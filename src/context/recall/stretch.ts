import { firstPlace } from '../conversation/first-place.ts'
import { createReader, createWriter } from './pack-bytes.ts'
import { createPackedVocabulary } from './packed-vocabulary.ts'
import * as ranking from './ranking.ts'
import {
  addEntry,
  createRecallIndex,
  emptyColumns,
  type IndexColumns,
  type RecallIndex,
  type Words,
} from './recall-index.ts'

/** Entries of a stretch; the last one of an index may have fewer. */
export const stretchSize = 512

/**
 * Packs the words of a stretch. Terms have the numbers that the index gave them, so that each text is written once: a
 * stretch can be read only after those before it.
 */
export function packStretch(index: RecallIndex, number: number): Uint8Array {
  const from = number * stretchSize
  const size = Math.min(stretchSize, index.size - from)
  const entries = Array.from({ length: size }, (_, at) => from + at)
  const terms = entries.map(entry => index.termsAt(entry))
  const ids = [...new Set(terms.flat())].sort((a, b) => a - b)
  // Numbers are given in the order of the entries: those of new terms follow each other.
  const known = firstPlace(index.vocabulary.size, id => index.frequency(id, from) === 0)
  const texts = [...index.vocabulary.keys()].slice(known, Math.max(known, (ids.at(-1) ?? -1) + 1))
  const { lengths, tokenSums, flags } = index
  let next = known
  const fresh = terms.map(list => {
    const before = next
    for (const id of list) next = Math.max(next, id + 1)
    return next - before
  })
  const postings = ids.map(id => packPostings(index, id, from, from + size))

  const bytes = createWriter()
  bytes.number(known)
  bytes.number(texts.length)
  // No term has a blank.
  bytes.text(texts.map(text => `${text} `).join(''))
  bytes.numbers(texts.flatMap((_, at) => (index.weights[known + at] === 1 ? [] : [at])))
  bytes.numbers(terms.map(list => list.length))
  bytes.numbers(fresh)
  bytes.numbers(entries.map((entry, at) => lengths[entry]! - terms[at]!.length))
  bytes.numbers(entries.map(entry => tokenSums[entry]! - (tokenSums[entry - 1] ?? 0)))
  bytes.numbers(entries.map(entry => flags[entry]!))
  bytes.numbers(ids.map((id, at) => id - (ids[at - 1] ?? 0)))
  bytes.numbers(postings.map(one => one.size))
  bytes.numbers(postings.map(one => one.codes.length))
  for (const { codes } of postings) bytes.bytes(codes)
  return bytes.done()
}

/** Each place as the distance from the one before: most take one byte. One occurrence, the usual case, takes no count. */
function packPostings(index: RecallIndex, id: number, from: number, to: number) {
  const bytes = createWriter()
  let next = from
  let size = 0
  index.visit(id, from, to, ({ places, counts }, first, end) => {
    for (let at = first; at < end; at++) {
      const count = counts[at]!
      bytes.number(2 * (places[at]! - next) + (count > 1 ? 1 : 0))
      if (count > 1) bytes.number(count)
      next = places[at]! + 1
      size += 1
    }
  })
  return { size, codes: bytes.done() }
}

/** A stretch as it was packed. Most of its postings are never asked for: they are read where they stand. */
interface Stretch {
  /** How many terms there were before it. */
  readonly known: number
  /** The ascending numbers of its terms, how many entries have each, and where the postings of each end. */
  readonly ids: Uint32Array
  readonly sizes: Uint32Array
  readonly ends: Uint32Array
  readonly codes: Uint8Array
  /** By entry: its terms. Made when they are asked for. */
  terms?: readonly (readonly number[])[]
}

/** The words of stretches that were packed. */
interface PackedWords extends Words {
  readonly columns: IndexColumns
  /** Reads the next stretch, whole or not at all: throws if it is broken or does not follow the one before it. */
  add(packed: Uint8Array): void
}

/** An index whose first entries stay packed: nobody asks for most of their words. */
export function indexAfter(past: PackedWords): RecallIndex {
  const { columns } = past
  const size = columns.lengths.length
  const index = createRecallIndex(columns)
  return {
    ...index,
    get size() {
      return index.size
    },
    termsAt: entry => (entry < size ? past : index).termsAt(entry),
    frequency: (id, n) => past.frequency(id, n) + index.frequency(id, n),
    visit(id, from, to, visit) {
      past.visit(id, from, to, visit)
      // Lists of one kind: the loop that walks through them is compiled for one kind, and must not be compiled again.
      index.visit(id, from, to, ({ places, counts }, start, end) => {
        const list = createPostings(end - start)
        for (let at = start; at < end; at++) {
          list.places[at - start] = places[at]!
          list.counts[at - start] = counts[at]!
        }
        visit(list, 0, end - start)
      })
    },
  }
}

/** The most postings in lists, 32 MB of them; then all are let go. */
const mostListed = 2 ** 22

interface Postings {
  readonly places: Int32Array
  readonly counts: Int32Array
}

const createPostings = (size: number): Postings => ({
  places: new Int32Array(size),
  counts: new Int32Array(size),
})

export function createPackedWords(invalid: (why: string) => Error): PackedWords {
  const vocabulary = createPackedVocabulary()
  const columns = { ...emptyColumns(), vocabulary }
  const stretches: Stretch[] = []
  /** By term: how many entries have it. */
  const totals: number[] = []
  /** The postings of terms that were asked for: a conversation comes back to its words. */
  const lists = new Map<number, Postings>()
  let listed = 0

  /** Reads the entries of a stretch that have the term in a slot. Returns how many there are. */
  function read(number: number, slot: number, { places, counts }: Postings, start: number): number {
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

  function listOf(id: number): Postings {
    const known = lists.get(id)
    if (known) return known
    const total = totals[id] ?? 0
    const list = createPostings(total)
    // No stretch before the one in which a term was new has it.
    let at = Math.max(0, firstPlace(stretches.length, number => stretches[number]!.known > id) - 1)
    for (let size = 0; size < total && at < stretches.length; at++) {
      const { ids } = stretches[at]!
      const slot = placeOf(ids, id)
      if (ids[slot] === id) size += read(at, slot, list, size)
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
    const list = createPostings(stretchSize)
    const terms: number[][] = Array.from({ length: stretchSize }, () => [])
    const { ids } = stretches[number]!
    for (let slot = 0; slot < ids.length; slot++) {
      const size = read(number, slot, list, 0)
      for (let at = 0; at < size; at++) terms[list.places[at]! - number * stretchSize]!.push(ids[slot]!)
    }
    return terms
  }

  return {
    columns,
    termsAt(entry) {
      const number = Math.floor(entry / stretchSize)
      const stretch = stretches[number]!
      stretch.terms ??= termsIn(number)
      return stretch.terms[entry % stretchSize]!
    },
    frequency: (id, n) =>
      n >= stretches.length * stretchSize ? (totals[id] ?? 0) : placeOf(listOf(id).places, n),
    visit(id, from, to, visit) {
      if (from >= stretches.length * stretchSize) return
      const list = listOf(id)
      visit(list, placeOf(list.places, from), placeOf(list.places, to))
    },
    add(packed) {
      const { stretch, fresh, texts, common, facts } = readStretch(packed, columns, invalid)
      const { known } = stretch
      vocabulary.add(texts, fresh)
      for (let id = known; id < known + fresh; id++) {
        columns.weights.push(1)
        totals.push(0)
      }
      for (const at of common) columns.weights[known + at] = ranking.common
      const [terms, news, repeats, tokens, flags] = facts
      for (let at = 0; at < terms.length; at++)
        addEntry(columns, terms[at]!, news[at]!, terms[at]! + repeats[at]!, tokens[at]!, flags[at]!)
      const { ids, sizes } = stretch
      for (let at = 0; at < ids.length; at++) totals[ids[at]!]! += sizes[at]!
      stretches.push(stretch)
    },
  }
}

/** The first place of an ascending list that has a number, or a larger one. */
function placeOf(list: Int32Array | Uint32Array, number: number): number {
  let [low, high] = [0, list.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (list[middle]! >= number) high = middle
    else low = middle + 1
  }
  return low
}

function readStretch(
  packed: Uint8Array,
  { vocabulary, lengths }: IndexColumns,
  invalid: (why: string) => Error,
) {
  const bytes = createReader(packed, invalid)
  const known = bytes.number()
  const fresh = bytes.number()
  const texts = bytes.bytes(bytes.number())
  const common = bytes.numbers()
  const next = () => bytes.numbers()
  const facts = [next(), next(), next(), next(), next()] as const
  const [ids, sizes, ends] = [next(), next(), next()]
  const codes = bytes.rest()
  for (let at = 1; at < ids.length; at++) {
    ids[at]! += ids[at - 1]!
    ends[at]! += ends[at - 1]!
  }
  if (known !== vocabulary.size || lengths.length % stretchSize > 0)
    throw invalid('it does not follow the one before it')
  const size = facts[0].length
  const isWhole =
    size <= stretchSize &&
    facts.every(column => column.length === size) &&
    sizes.length === ids.length &&
    sizes.every(one => one <= size) &&
    ends.length === ids.length &&
    (ids.at(-1) ?? -1) < known + fresh &&
    (common.at(-1) ?? -1) < fresh &&
    fresh <= texts.length &&
    (ends.at(-1) ?? 0) === codes.length
  if (!isWhole) throw invalid('its parts do not fit together')
  const stretch: Stretch = { known, ids, sizes, ends, codes }
  return { stretch, fresh, texts, common, facts }
}
