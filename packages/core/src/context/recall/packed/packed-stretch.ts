import { createReader, createWriter, sumsOf } from '../../../log/pack-bytes.ts'
import { firstPlace } from '../../conversation/first-place.ts'
import { countOf, entryOf } from '../posting.ts'
import type { RecallIndex } from '../recall-index.ts'

/** Entries of a stretch; the last one of an index may have fewer. */
export const stretchSize = 512

/** Packs the words of a stretch. Terms keep their numbers and each text is written once: those before it must be read first. */
export function packStretch(index: RecallIndex, number: number, end = index.size): Uint8Array {
  const from = number * stretchSize
  const size = Math.min(stretchSize, end - from)
  const entries = Array.from({ length: size }, (_, at) => from + at)
  const terms = entries.map(entry => Array.from(index.termsAt(entry)))
  const ids = [...new Set(terms.flat())].sort((a, b) => a - b)
  // Numbers are given in the order of the entries: those of new terms follow each other, and the stretch has them all.
  const termsBefore = firstPlace(index.vocabulary.size, id => index.frequency(id, from) === 0)
  const old = ids.filter(id => id < termsBefore)
  const texts = termsFrom(index, termsBefore, ids.length - old.length)
  const { lengthSums, tokenSums, flags } = index
  let next = termsBefore
  const fresh = terms.map(list => {
    const before = next
    for (const id of list) next = Math.max(next, id + 1)
    return next - before
  })
  const postings = ids.map(id => packPostings(index, id, from, from + size))

  const bytes = createWriter()
  bytes.number(termsBefore)
  bytes.number(texts.length)
  // No term has a blank.
  bytes.text(texts.map(text => `${text} `).join(''))
  bytes.numbers(terms.map(list => list.length))
  bytes.numbers(fresh)
  for (const sums of [lengthSums, tokenSums])
    bytes.numbers(entries.map(entry => sums[entry]! - (sums[entry - 1] ?? 0)))
  bytes.numbers(entries.map(entry => flags[entry]!))
  bytes.numbers(old.map((id, at) => id - (old[at - 1] ?? 0)))
  bytes.numbers(postings.map(one => one.size))
  bytes.numbers(postings.map(one => one.codes.length))
  for (const { codes } of postings) bytes.bytes(codes)
  return bytes.done()
}

/** The terms from a number on. Stretches are packed one after the other: each goes on where the one before ended. */
function termsFrom(index: RecallIndex, from: number, size: number): readonly string[] {
  let walk = walks.get(index)
  if (!walk || walk.from > from)
    walk = { keys: index.vocabulary.keys()[Symbol.iterator](), from: 0, terms: [] }
  walks.set(index, walk)
  const { keys, terms } = walk
  // Never read to the end: a walk that has ended does not see what is added later.
  while (walk.from + terms.length < from + size) terms.push(keys.next().value)
  // What was read stays: the last stretch is packed more than once.
  terms.splice(0, from - walk.from)
  walk.from = from
  return terms.slice(0, size)
}

const walks = new WeakMap<
  RecallIndex,
  { readonly keys: Iterator<string>; readonly terms: string[]; from: number }
>()

/** Each place as the distance from the one before: most take one byte. One occurrence, the usual case, takes no count. */
function packPostings(index: RecallIndex, id: number, from: number, to: number) {
  const bytes = createWriter()
  const size = index.frequency(id, to) - index.frequency(id, from)
  let next = from
  for (const postings of index.postings(id, { n: to, most: size })) {
    for (const posting of postings) {
      const entry = entryOf(posting)
      const count = countOf(posting)
      bytes.number(2 * (entry - next) + (count > 1 ? 1 : 0))
      if (count > 1) bytes.number(count)
      next = entry + 1
    }
  }
  return { size, codes: bytes.done() }
}

/** A stretch as it was packed. Most of its postings are never asked for: they are read where they stand. */
export type PackedStretch = Readonly<ReturnType<typeof readStretch>>

/** Reads a stretch. Throws if it is broken. */
export function readStretch(packed: Uint8Array, invalid: (why: string) => Error) {
  const bytes = createReader(packed, invalid)
  // How many terms there were before it, and how many were new in it: their texts.
  const termsBefore = bytes.number()
  const fresh = bytes.number()
  const texts = bytes.bytes(bytes.number())
  const next = bytes.numbers
  // By entry.
  const facts = { terms: next(), fresh: next(), length: next(), tokens: next(), flags: next() }
  // The ascending numbers of its terms that were known before, which the new ones follow; by term, how many entries have it, and
  // where its postings end.
  const [old, sizes, ends] = [sumsOf(next()), next(), sumsOf(next())]
  const codes = bytes.rest()
  const size = facts.terms.length
  const isWhole =
    size <= stretchSize &&
    Object.values(facts).every(column => column.length === size) &&
    sizes.length === old.length + fresh &&
    ends.length === sizes.length &&
    (old.at(-1) ?? -1) < termsBefore &&
    fresh <= texts.length &&
    (ends.at(-1) ?? 0) === codes.length
  if (!isWhole) throw invalid('its parts do not fit together')
  return { termsBefore, fresh, texts, facts, old, sizes, ends, codes }
}
