import { firstPlace } from '../conversation/first-place.ts'
import { createReader, createWriter } from './pack-bytes.ts'
import {
  addEntry,
  addTerm,
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
  // No term has a blank.
  bytes.text(texts.join(' '))
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
      index.visit(id, from, to, visit)
    },
  }
}

export function createPackedWords(invalid: (why: string) => Error): PackedWords {
  const columns = emptyColumns()
  const stretches: Stretch[] = []
  /** By term: how many entries have it. */
  const totals: number[] = []
  /** The entries of one stretch that have a term: lists that are used again and again. */
  const found = { places: new Int32Array(stretchSize), counts: new Int32Array(stretchSize) }

  /** Reads the entries of a stretch that have a term. Returns how many there are. */
  function read(number: number, id: number): number {
    const { ids, sizes, ends, codes } = stretches[number]!
    const { places, counts } = found
    const slot = placeOf(ids, id)
    if (ids[slot] !== id) return 0
    const size = sizes[slot]!
    let at = slot > 0 ? ends[slot - 1]! : 0
    let place = number * stretchSize
    for (let next = 0; next < size; next++) {
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

  /** How many of the entries that were just read are before another one. */
  function below(size: number, n: number): number {
    let count = size
    while (count > 0 && found.places[count - 1]! >= n) count -= 1
    return count
  }

  function termsIn(number: number): readonly (readonly number[])[] {
    const terms: number[][] = Array.from({ length: stretchSize }, () => [])
    for (const id of stretches[number]!.ids) {
      const size = read(number, id)
      for (let at = 0; at < size; at++) terms[found.places[at]! - number * stretchSize]!.push(id)
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
    frequency(id, n) {
      let count = totals[id] ?? 0
      for (let at = Math.floor(n / stretchSize); at < stretches.length; at++) {
        const size = read(at, id)
        count -= size - below(size, n)
      }
      return count
    },
    visit(id, from, to, visit) {
      // No stretch before the one in which a term was new has it.
      const born = firstPlace(stretches.length, at => stretches[at]!.known > id) - 1
      const first = Math.max(0, born, Math.floor(from / stretchSize))
      for (
        let at = first, left = totals[id] ?? 0;
        left > 0 && at < stretches.length && at * stretchSize < to;
        at++
      ) {
        const size = read(at, id)
        left -= size
        if (size > 0) visit(found, below(size, from), below(size, to))
      }
    },
    add(packed) {
      const { stretch, fresh, facts } = readStretch(packed, columns, invalid)
      for (const term of fresh) {
        addTerm(columns, term)
        totals.push(0)
      }
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
function placeOf(list: Uint32Array, number: number): number {
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
  const text = bytes.text()
  const fresh = text === '' ? [] : text.split(' ')
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
    (ids.at(-1) ?? -1) < known + fresh.length &&
    (ends.at(-1) ?? 0) === codes.length
  if (!isWhole) throw invalid('its parts do not fit together')
  const stretch: Stretch = { known, ids, sizes, ends, codes }
  return { stretch, fresh, facts }
}
