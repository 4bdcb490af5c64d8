import { ThroughlineError } from '../../log/error.ts'
import { createReader, createWriter } from './bytes.ts'
import { createRecallIndex, type RecallIndex } from './recall-index.ts'

/** Changes with the terms, the stems or the layout: an index of another version is rebuilt from the log. */
const version = 1

/** Packs an index, with the time of its last entry. A cache that can be rebuilt from the conversation. */
export function packIndex(index: RecallIndex, time?: number): Uint8Array {
  const bytes = createWriter()
  bytes.number(version)
  bytes.float(time ?? Number.NaN)
  bytes.number(index.size)
  bytes.number(index.vocabulary.size)
  for (const term of index.vocabulary.keys()) bytes.text(term)
  const starts = new Set(index.starts)
  const occurrences = countOccurrences(index)
  for (let entry = 0; entry < index.size; entry++) {
    const before = index.tokenSums[entry - 1] ?? 0
    bytes.number(starts.has(entry) ? 1 : 0)
    bytes.number(index.tokenSums[entry]! - before)
    bytes.float(index.priors[entry]!)
    const terms = index.termsAt(entry)
    bytes.number(terms.length)
    for (const id of terms) {
      bytes.number(id)
      bytes.number(occurrences(id, entry))
    }
  }
  return bytes.done()
}

/** Reads a packed index. Throws when the bytes are of another version or broken: then rebuild it from the log. */
export function unpackIndex(packed: Uint8Array): {
  readonly index: RecallIndex
  readonly time: number | undefined
} {
  const bytes = createReader(packed, invalid)
  if (bytes.number() !== version) throw invalid('it was written by another version')
  const time = bytes.float()
  const size = bytes.number()
  const index = createRecallIndex()
  const ids = Array.from({ length: bytes.number() }, () => index.idOf(bytes.text()))
  for (let entry = 0; entry < size; entry++) {
    const beginsSession = bytes.number() === 1
    const tokens = bytes.number()
    const prior = bytes.float()
    index.restore({ ...readTerms(bytes, ids, invalid), tokens, prior, beginsSession })
  }
  return { index, time: Number.isNaN(time) ? undefined : time }
}

/** The terms of one entry and how often each occurs, by their numbers in the vocabulary. */
export function readTerms(
  bytes: ReturnType<typeof createReader>,
  ids: readonly number[],
  invalid: (why: string) => Error,
): { readonly terms: Int32Array; readonly counts: Int32Array } {
  const size = bytes.number()
  const terms = new Int32Array(size)
  const counts = new Int32Array(size)
  for (let place = 0; place < size; place++) {
    const id = ids[bytes.number()]
    if (id === undefined) throw invalid('it names a term that it does not have')
    terms[place] = id
    counts[place] = bytes.number()
  }
  return { terms, counts }
}

const invalid = (why: string) =>
  new ThroughlineError(
    'invalid_index',
    `The saved recall index cannot be used: ${why}. Build it again from the log.`,
  )

/** Both postings and the entries asked for are in ascending order, so each list is walked once. */
function countOccurrences(index: RecallIndex): (id: number, entry: number) => number {
  const next = new Int32Array(index.vocabulary.size)
  return id => index.counts[id]![next[id]!++]!
}
