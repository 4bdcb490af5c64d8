import type { Vocabulary } from '../recall-index.ts'
import type { PackedStretch } from './packed-stretch.ts'

/** Terms as bytes, each followed by a blank, and how many there are. */
type PackedTerms = Pick<PackedStretch, 'texts' | 'fresh'>

/** Finds packed terms where they stand, by their hashes: a map of a hundred thousand texts would take most of a restart. */
export function createPackedVocabulary(parts: readonly PackedTerms[]): Vocabulary {
  const packed = parts.reduce((sum, { fresh }) => sum + fresh, 0)
  const later = new Map<string, number>()
  /** Packed terms that were looked up: a conversation comes back to its words. */
  const cache = new Map<string, number>()
  let table: HashTable | undefined

  function get(term: string): number | undefined {
    const cached = later.get(term) ?? cache.get(term)
    if (cached !== undefined || packed === 0) return cached
    table ??= createTable(parts, packed)
    const id = find(table, encoder.encode(term))
    if (id !== undefined) cache.set(term, id)
    return id
  }

  return {
    get size() {
      return packed + later.size
    },
    get,
    set: (term, id) => later.set(term, id),
    *keys() {
      const decoder = new TextDecoder()
      for (const { texts } of parts) yield* decoder.decode(texts).split(' ').slice(0, -1)
      yield* later.keys()
    },
  }
}

type HashTable = ReturnType<typeof createTable>

function createTable(parts: readonly PackedTerms[], count: number) {
  const bytes = new Uint8Array(parts.reduce((sum, { texts }) => sum + texts.length, 0))
  let end = 0
  for (const { texts } of parts) {
    bytes.set(texts, end)
    end += texts.length
  }
  // By term: where it begins; the blank before the next one ends it.
  const starts = new Int32Array(count + 1)
  // By hash: the number of the term, and 1; 0 where there is none. At most half of it is taken.
  const slots = new Int32Array(2 ** Math.ceil(Math.log2(2 * count + 2)))
  const last = slots.length - 1
  let [id, hash] = [0, basis]
  for (let at = 0; at < bytes.length && id < count; at++) {
    const byte = bytes[at]!
    if (byte !== blank) {
      hash = Math.imul(hash ^ byte, prime)
      continue
    }
    let slot = spread(hash) & last
    while (slots[slot]! > 0) slot = (slot + 1) & last
    id += 1
    slots[slot] = id
    starts[id] = at + 1
    hash = basis
  }
  return { bytes, starts, slots }
}

function find({ bytes, starts, slots }: HashTable, term: Uint8Array): number | undefined {
  let hash = basis
  for (let at = 0; at < term.length; at++) hash = Math.imul(hash ^ term[at]!, prime)
  const last = slots.length - 1
  for (let slot = spread(hash) & last; slots[slot]! > 0; slot = (slot + 1) & last) {
    const id = slots[slot]! - 1
    const start = starts[id]!
    let same = 0
    while (same < term.length && bytes[start + same] === term[same]) same += 1
    // A blank ends the packed term: it is no longer than the one that was looked for.
    if (same === term.length && bytes[start + same] === blank) return id
  }
  return undefined
}

const encoder = new TextEncoder()

const blank = 32

// FNV-1a.
const basis = 0x811c9dc5 | 0
const prime = 0x01000193

/** The upper bits tell short terms apart better than the lower ones. */
const spread = (hash: number) => hash ^ (hash >>> 15)
