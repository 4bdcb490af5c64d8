import { ThroughlineError } from '../../log/error.ts'
import { createReader, createWriter } from './bytes.ts'
import { createRecallIndex, type RecallIndex } from './recall-index.ts'

/** Changes with the terms, the stems or the layout: a packed index of another version is made anew from the log. */
const version = 1

/** The saved form of an index, with the time of its last entry: a cache that can be rebuilt from the conversation, never the truth. */
export function packIndex(index: RecallIndex, time?: number): Uint8Array {
  const bytes = createWriter()
  bytes.number(version)
  bytes.float(time ?? Number.NaN)
  bytes.number(index.size)
  bytes.number(index.vocabulary.size)
  for (const term of index.vocabulary.keys()) bytes.text(term)
  const starts = new Set(index.starts.data.subarray(0, index.starts.size))
  const occurrences = countOccurrences(index)
  for (let entry = 0; entry < index.size; entry++) {
    const before = entry > 0 ? index.tokenSums.data[entry - 1]! : 0
    bytes.number(starts.has(entry) ? 1 : 0)
    bytes.number(index.tokenSums.data[entry]! - before)
    bytes.float(index.priors.data[entry]!)
    bytes.number(index.terms[entry]!.length)
    for (const id of index.terms[entry]!) {
      bytes.number(id)
      bytes.number(occurrences(id, entry))
    }
  }
  return bytes.done()
}

/** Reads a packed index. Throws when the bytes are of another version or broken: then build it from the log. */
export function unpackIndex(packed: Uint8Array): {
  readonly index: RecallIndex
  readonly time: number | undefined
} {
  const bytes = createReader(packed, invalid)
  if (bytes.number() !== version) throw invalid('it was written by another version')
  const time = bytes.float()
  const size = bytes.number()
  const terms = Array.from({ length: bytes.number() }, () => bytes.text())
  const index = createRecallIndex()
  for (let entry = 0; entry < size; entry++) {
    const beginsSession = bytes.number() === 1
    const tokens = bytes.number()
    const prior = bytes.float()
    const counts = Array.from({ length: bytes.number() }, () => {
      const term = terms[bytes.number()]
      if (term === undefined) throw invalid('it names a term that it does not have')
      return [term, bytes.number()] as const
    })
    index.restore({ counts, tokens, prior, beginsSession })
  }
  return { index, time: Number.isNaN(time) ? undefined : time }
}

const invalid = (why: string) =>
  new ThroughlineError(
    'invalid_index',
    `The saved recall index cannot be used: ${why}. Build it again from the log.`,
  )

/** Postings are in ascending order, and entries are asked in ascending order: each list is walked once. */
function countOccurrences(index: RecallIndex): (id: number, entry: number) => number {
  const next = new Int32Array(index.vocabulary.size)
  return id => index.counts[id]!.data[next[id]!++]!
}
