import { ThroughlineError } from '../../log/error.ts'
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
  const bytes = createReader(packed)
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

function createWriter() {
  let data = new Uint8Array(1024)
  let size = 0
  const room = (more: number) => {
    if (size + more <= data.length) return
    const larger = new Uint8Array(Math.max(data.length * 2, size + more))
    larger.set(data)
    data = larger
  }
  const number = (value: number) => {
    room(8)
    let rest = value
    // Seven bits a byte: most numbers are small.
    for (; rest >= 128; rest = Math.floor(rest / 128)) data[size++] = (rest % 128) | 128
    data[size++] = rest
  }
  return {
    number,
    text(value: string) {
      const encoded = new TextEncoder().encode(value)
      number(encoded.length)
      room(encoded.length)
      data.set(encoded, size)
      size += encoded.length
    },
    float(value: number) {
      room(8)
      new DataView(data.buffer).setFloat64(size, value)
      size += 8
    },
    done: () => data.slice(0, size),
  }
}

function createReader(data: Uint8Array) {
  let at = 0
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength)
  const take = (length: number) => {
    at += length
    if (!(at <= data.length)) throw invalid('it ends too early')
    return at - length
  }
  const number = () => {
    let value = 0
    for (let factor = 1; ; factor *= 128) {
      const byte = data[take(1)]!
      value += (byte & 127) * factor
      if (byte < 128) return value
      if (factor > 2 ** 42) throw invalid('a number is too large')
    }
  }
  return {
    number,
    text: () => {
      const length = number()
      const start = take(length)
      return new TextDecoder().decode(data.subarray(start, start + length))
    },
    float: () => view.getFloat64(take(8)),
  }
}
