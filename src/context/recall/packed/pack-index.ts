import { ThroughlineError } from '../../../log/error.ts'
import { createReader, createWriter, seal, unseal } from '../../../log/pack-bytes.ts'
import type { RecallIndex } from '../recall-index.ts'
import { packStretch, stretchSize } from './packed-stretch.ts'
import { createPackedWords, indexAfter } from './packed-words.ts'

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
