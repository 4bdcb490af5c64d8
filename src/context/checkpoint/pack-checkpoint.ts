import { ThroughlineError } from '../../log/error.ts'
import type { Role } from '../../log/message.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Stray, Unit, UnitKind } from '../conversation/unit.ts'
import { createWriter } from '../recall/bytes.ts'
import { indexTranscript, lastTime } from '../recall/index-transcript.ts'
import { countBelow, type RecallIndex } from '../recall/recall-index.ts'

/** Units in one checkpoint. Full checkpoints are never written again. */
export const unitsPerCheckpoint = 512

export const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']
export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool', 'assistant_note']

/**
 * Packs what a context needs of a stretch of units besides their texts: sizes, kinds and words. A cache that can be
 * rebuilt from the log. The units must be settled: something follows them.
 */
export function packCheckpoint(transcript: Transcript, from: number, to: number): Uint8Array {
  const bytes = createWriter()
  const index = indexTranscript(transcript, to)
  const vocabulary = new Map<number, number>()
  for (let at = from; at < to; at++)
    for (const id of index.termsAt(at)) if (!vocabulary.has(id)) vocabulary.set(id, vocabulary.size)
  const names = [...index.vocabulary.keys()]
  bytes.number(vocabulary.size)
  for (const id of vocabulary.keys()) bytes.text(names[id]!)
  const starts = new Set(index.starts)
  bytes.number(to - from)
  for (let at = from; at < to; at++) {
    writeUnit(bytes, transcript, transcript.units[at]!)
    bytes.number(starts.has(at) ? 1 : 0)
    bytes.float(index.priors[at]!)
    bytes.number(index.termsAt(at).length)
    for (const id of index.termsAt(at)) {
      bytes.number(vocabulary.get(id)!)
      bytes.number(occurrences(index, id, at))
    }
  }
  bytes.float(lastTimeIn(transcript, from, to))
  return bytes.done()
}

/** Repairs of a unit. Strays are named by their places in it. */
export interface PackedMended extends Pick<Unit, 'missing'> {
  readonly strays: readonly ({ readonly at: number } & Stray)[]
}

function writeUnit(bytes: ReturnType<typeof createWriter>, transcript: Transcript, unit: Unit): void {
  const { kind, from, to, tokens, noteTokens, missing, strays } = unit
  bytes.number(kinds.indexOf(kind))
  bytes.number(tokens)
  bytes.number(noteTokens)
  const packed: PackedMended = {
    missing,
    strays: [...strays].map(([at, stray]) => ({ at: at - from, ...stray })),
  }
  bytes.text(missing.length + strays.size > 0 ? JSON.stringify(packed) : '')
  bytes.number(to - from)
  for (const entry of transcript.entries.slice(from, to)) {
    bytes.number(roles.indexOf(entry.role))
    bytes.number(entry.tokens)
  }
}

function occurrences(index: RecallIndex, id: number, at: number): number {
  return index.counts[id]![countBelow(index.places[id]!, at)]!
}

/** The time of the last message in the stretch that has one; NaN where none has. */
function lastTimeIn(transcript: Transcript, from: number, to: number): number {
  for (let at = to - 1; at >= from; at--) {
    const time = lastTime(transcript, transcript.units[at]!)
    if (time !== undefined) return time
  }
  return Number.NaN
}

/** Changes with the layout, the units or the terms: a checkpoint of another version is not used. */
const version = 1

export function seal(body: Uint8Array): Uint8Array {
  const sealed = new Uint8Array(8 + body.length)
  const view = new DataView(sealed.buffer)
  view.setUint32(0, version)
  view.setUint32(4, checksum(body))
  sealed.set(body, 8)
  return sealed
}

/** Returns the sealed bytes; throws when they have changed. */
export function unseal(sealed: Uint8Array): Uint8Array {
  if (sealed.length < 8) throw unusable('it ends too early')
  const view = new DataView(sealed.buffer, sealed.byteOffset, sealed.byteLength)
  if (view.getUint32(0) !== version) throw unusable('it was written by another version')
  const body = sealed.subarray(8)
  if (checksum(body) !== view.getUint32(4)) throw unusable('its bytes were changed')
  return body
}

export const unusable = (why: string) =>
  new ThroughlineError(
    'invalid_checkpoint',
    `The checkpoint cannot be used: ${why}. It is made again from the log.`,
  )

/** FNV-1a, 32 bits: notices damage, not forgery. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193)
  return hash >>> 0
}
