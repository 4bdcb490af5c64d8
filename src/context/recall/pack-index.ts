import { ThroughlineError } from '../../log/error.ts'
import { countBelow, createRecallIndex, type RecallIndex, type SavedEntry } from './recall-index.ts'

/** Changes with the terms, the stems or the layout: an index of another version is rebuilt from the log. */
const version = 2

/** Packs an index, with the time of its last entry. A cache that can be rebuilt from the conversation. */
export function packIndex(index: RecallIndex, time?: number): Uint8Array {
  const bytes = createWriter()
  bytes.number(version)
  bytes.float(time ?? Number.NaN)
  bytes.number(index.size)
  bytes.number(index.vocabulary.size)
  for (const term of index.vocabulary.keys()) bytes.text(term)
  for (let at = 0; at < index.size; at++) {
    const entry = savedEntry(index, at)
    bytes.number(entry.beginsSession ? 1 : 0)
    bytes.number(entry.tokens)
    bytes.float(entry.prior)
    writeTerms(bytes, entry, id => id)
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

/** What must be saved of an entry: `restore` takes it back. */
export function savedEntry(index: RecallIndex, at: number): SavedEntry {
  const { places, counts, tokenSums, priors, starts, sessions } = index
  const terms = index.termsAt(at)
  return {
    terms,
    counts: terms.map(id => counts[id]![countBelow(places[id]!, at)]!),
    tokens: tokenSums[at]! - (tokenSums[at - 1] ?? 0),
    prior: priors[at]!,
    beginsSession: starts[sessions[at]!] === at,
  }
}

/**
 * Writes the terms of one entry, by their numbers in the written vocabulary, and how often each occurs. In the order of
 * their numbers, each as the distance from the one before: most take one byte.
 */
export function writeTerms(bytes: Writer, entry: SavedEntry, numberOf: (id: number) => number): void {
  const { terms, counts } = entry
  const numbered = Array.from(terms, (id, place) => [numberOf(id), counts[place]!] as const)
  numbered.sort(([a], [b]) => a - b)
  bytes.number(numbered.length)
  let next = 0
  for (const [number, count] of numbered) {
    // One occurrence, the usual case, takes no number of its own.
    bytes.number(2 * (number - next) + (count > 1 ? 1 : 0))
    if (count > 1) bytes.number(count)
    next = number + 1
  }
}

/** The terms of one entry and how often each occurs, by their numbers in the vocabulary. */
export function readTerms(bytes: Reader, ids: readonly number[], invalid: (why: string) => Error) {
  const size = bytes.number()
  if (size > ids.length) throw invalid('it names a term that it does not have')
  const terms = new Int32Array(size)
  const counts = new Int32Array(size)
  let next = 0
  for (let place = 0; place < size; place++) {
    const packed = bytes.number()
    const number = next + Math.floor(packed / 2)
    const id = ids[number]
    if (id === undefined) throw invalid('it names a term that it does not have')
    terms[place] = id
    counts[place] = packed % 2 === 1 ? bytes.number() : 1
    next = number + 1
  }
  return { terms, counts }
}

const invalid = (why: string) =>
  new ThroughlineError(
    'invalid_index',
    `The saved recall index cannot be used: ${why}. Build it again from the log.`,
  )

export type Writer = ReturnType<typeof createWriter>
export type Reader = ReturnType<typeof createReader>

/** Writes small numbers, texts and floats one after the other. */
export function createWriter() {
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

/** Reads what a writer wrote, in the same order; `invalid` makes the error for bytes that are cut off or foreign. */
export function createReader(data: Uint8Array, invalid: (why: string) => Error) {
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
