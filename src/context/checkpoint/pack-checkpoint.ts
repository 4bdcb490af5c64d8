import { ThroughlineError } from '../../log/error.ts'
import { roles } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import {
  createTranscript,
  emptyLists,
  type Stray,
  setUnit,
  type Transcript,
  type Unit,
  type UnitKind,
} from '../conversation/transcript.ts'
import { adoptIndex, indexTranscript, isRecallable, lastTime } from '../recall/index-transcript.ts'
import {
  createReader,
  createWriter,
  type Reader,
  readTerms,
  savedEntry,
  type Writer,
  writeTerms,
} from '../recall/pack-index.ts'
import { createRecallIndex } from '../recall/recall-index.ts'
import { absentEntry } from './absent-entry.ts'

/** Units in one checkpoint. Full checkpoints are never written again. */
export const unitsPerCheckpoint = 512

const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']

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
  bytes.number(to - from)
  for (let at = from; at < to; at++) {
    writeUnit(bytes, transcript, transcript.units[at]!)
    const entry = savedEntry(index, at)
    bytes.number(entry.beginsSession ? 1 : 0)
    bytes.float(entry.prior)
    writeTerms(bytes, entry, id => vocabulary.get(id)!)
  }
  bytes.float(lastTimeIn(transcript, from, to))
  return bytes.done()
}

/** Repairs of a unit. Strays are named by their places in it. */
interface PackedMended extends Pick<Unit, 'missing'> {
  readonly strays: readonly ({ readonly at: number } & Stray)[]
}

function writeUnit(bytes: Writer, transcript: Transcript, unit: Unit): void {
  const { kind, from, to, tokens, noteTokens, missing, strays } = unit
  bytes.number(kinds.indexOf(kind))
  bytes.number(tokens)
  bytes.number(noteTokens)
  const placed: PackedMended['strays'] = [...strays].map(([at, stray]) => ({ at: at - from, ...stray }))
  bytes.text(missing.length + strays.size > 0 ? JSON.stringify({ missing, strays: placed }) : '')
  bytes.number(to - from)
  for (const entry of transcript.entries.slice(from, to)) {
    bytes.number(roles.indexOf(entry.role))
    bytes.number(entry.tokens)
  }
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
const version = 2

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

const unusable = (why: string) =>
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

/** Rebuilds a transcript from its checkpoints, oldest first, without texts: those are loaded when a context needs them. */
export function restoreTranscript(count: TokenCounter, checkpoints: readonly Uint8Array[]): Transcript {
  const lists = emptyLists()
  const { entries, units, notes } = lists
  const index = createRecallIndex()
  let time: number | undefined

  for (const packed of checkpoints) {
    const bytes = createReader(packed, unusable)
    const ids = Array.from({ length: bytes.number() }, () => index.idOf(bytes.text()))
    for (let left = bytes.number(); left > 0; left--) {
      const unit = readUnit(bytes)
      const beginsSession = bytes.number() === 1
      const prior = bytes.float()
      const tokens = isRecallable(unit) ? unit.tokens : 0
      index.restore({ ...readTerms(bytes, ids, unusable), tokens, prior, beginsSession })
    }
    const last = bytes.float()
    if (!Number.isNaN(last)) time = last
  }
  const transcript = createTranscript(count, lists)
  adoptIndex(transcript, { index, time })
  return transcript

  function readUnit(bytes: Reader): Unit {
    const [at, from] = [units.length, entries.length]
    const kind = kinds[bytes.number()]!
    const [tokens, noteTokens, mended] = [bytes.number(), bytes.number(), bytes.text()]
    for (let left = bytes.number(); left > 0; left--) {
      const role = roles[bytes.number()]!
      if (role === 'assistant_note') notes.push({ at: entries.length, unit: at })
      entries.push(absentEntry(entries.length, role, bytes.number()))
    }
    const { missing, strays } = mended ? readMended(mended, from) : whole
    const unit: Unit = { index: at, kind, from, to: entries.length, tokens, noteTokens, missing, strays }
    setUnit(lists, unit)
    return unit
  }
}

type Mended = Pick<Unit, 'missing' | 'strays'>

const whole: Mended = { missing: [], strays: new Map() }

function readMended(json: string, from: number): Mended {
  const { missing, strays } = JSON.parse(json) as PackedMended
  return { missing, strays: new Map(strays.map(({ at, ...stray }) => [at + from, stray])) }
}
