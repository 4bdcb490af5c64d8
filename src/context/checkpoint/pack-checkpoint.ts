import { attempt } from '../../log/attempt.ts'
import { ThroughlineError } from '../../log/error.ts'
import { roles } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import {
  createTranscript,
  emptyLists,
  type Lists,
  type Stray,
  setUnit,
  type Transcript,
  type Unit,
  type UnitKind,
} from '../conversation/transcript.ts'
import { adoptIndex, indexTranscript, lastTime } from '../recall/index-transcript.ts'
import { createReader, createWriter } from '../recall/pack-bytes.ts'
import { createPackedWords, indexAfter, packStretch, stretchSize } from '../recall/stretch.ts'
import { absentEntry } from './absent-entry.ts'

/** Units in one checkpoint. Full checkpoints are never written again. */
export const unitsPerCheckpoint = stretchSize

/** Changes with the layout, the units or the terms: a checkpoint of another version is not used. */
export const checkpointVersion = 5

const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']

/**
 * Packs what a context needs of a stretch of units besides their texts: sizes, kinds and words. A cache that can be
 * rebuilt from the log. The units must be settled: something follows them.
 */
export function packCheckpoint(transcript: Transcript, number: number): Uint8Array {
  const from = number * unitsPerCheckpoint
  const units = transcript.units.slice(from, from + unitsPerCheckpoint)
  const entries = transcript.entries.slice(units[0]!.from, units.at(-1)!.to)
  const index = indexTranscript(transcript, from + unitsPerCheckpoint)
  const bytes = createWriter()
  bytes.float(lastTimeIn(transcript, units))
  bytes.text(JSON.stringify(mendedIn(units)))
  bytes.numbers(units.map(unit => kinds.indexOf(unit.kind)))
  bytes.numbers(units.map(unit => unit.tokens))
  bytes.numbers(units.map(unit => unit.noteTokens))
  bytes.numbers(units.map(unit => unit.to - unit.from))
  bytes.numbers(entries.map(entry => roles.indexOf(entry.role)))
  bytes.numbers(entries.map(entry => entry.tokens))
  bytes.bytes(packStretch(index, number))
  return bytes.done()
}

/** A unit that was repaired, by its place in the checkpoint. Strays are named by their places in it. */
interface PackedMended extends Pick<Unit, 'missing'> {
  readonly unit: number
  readonly strays: readonly ({ readonly at: number } & Stray)[]
}

function mendedIn(units: readonly Unit[]): readonly PackedMended[] {
  return units.flatMap(({ from, missing, strays }, unit) =>
    missing.length + strays.size === 0
      ? []
      : [{ unit, missing, strays: [...strays].map(([at, stray]) => ({ at: at - from, ...stray })) }],
  )
}

/** The time of the last message in the stretch that has one; NaN where none has. */
function lastTimeIn(transcript: Transcript, units: readonly Unit[]): number {
  for (const unit of units.toReversed()) {
    const time = lastTime(transcript, unit)
    if (time !== undefined) return time
  }
  return Number.NaN
}

export const unusable = (why: string) =>
  new ThroughlineError(
    'invalid_checkpoint',
    `The checkpoint cannot be used: ${why}. It is made again from the log.`,
  )

/**
 * Rebuilds a transcript from its checkpoints, oldest first, without texts: those are loaded when a context needs them.
 * Ends before the first that cannot be read; `used` says how many there were.
 */
export function restoreTranscript(
  count: TokenCounter,
  checkpoints: readonly Uint8Array[],
): { readonly transcript: Transcript; readonly used: number } {
  const lists = emptyLists()
  const words = createPackedWords(unusable)
  let time: number | undefined
  let used = 0
  for (const packed of checkpoints) {
    const read = attempt(() => {
      const units = readUnits(packed)
      words.add(units.words)
      return units
    }, undefined)
    if (!read) break
    addUnits(lists, read)
    if (!Number.isNaN(read.time)) time = read.time
    used += 1
  }
  const transcript = createTranscript(count, lists)
  const index = indexAfter(words)
  adoptIndex(transcript, { index, time })
  return { transcript, used }
}

function readUnits(packed: Uint8Array) {
  const bytes = createReader(packed, unusable)
  const time = bytes.float()
  const mended = JSON.parse(bytes.text()) as readonly PackedMended[]
  const units = Array.from({ length: 4 }, bytes.numbers)
  const entries = [bytes.numbers(), bytes.numbers()]
  const sum = units[3]!.reduce((all, size) => all + size, 0)
  const isWhole =
    units.every(column => column.length === unitsPerCheckpoint) &&
    entries.every(column => column.length === sum)
  if (!isWhole) throw unusable('its parts do not fit together')
  return { time, mended, units, entries, words: bytes.rest() }
}

function addUnits(lists: Lists, { mended, units, entries: packed }: ReturnType<typeof readUnits>): void {
  const { entries, notes } = lists
  const [roleOf, tokensOf] = packed
  const [kindOf, sizeOf, noteSizeOf, countOf] = units
  const repairs = new Map(mended.map(one => [one.unit, one]))
  let next = 0
  for (let unit = 0; unit < unitsPerCheckpoint; unit++) {
    const [index, from] = [lists.units.length, entries.length]
    for (let left = countOf![unit]!; left > 0; left--) {
      const role = roles[roleOf![next]!]!
      if (role === 'assistant_note') notes.push({ at: entries.length, unit: index })
      entries.push(absentEntry(entries.length, role, tokensOf![next]!))
      next += 1
    }
    const { missing, strays } = unitRepairs(repairs.get(unit), from)
    setUnit(lists, {
      index,
      kind: kinds[kindOf![unit]!]!,
      from,
      to: entries.length,
      tokens: sizeOf![unit]!,
      noteTokens: noteSizeOf![unit]!,
      missing,
      strays,
    })
  }
}

type Mended = Pick<Unit, 'missing' | 'strays'>

const whole: Mended = { missing: [], strays: new Map() }

function unitRepairs(packed: PackedMended | undefined, from: number): Mended {
  if (!packed) return whole
  const { missing, strays } = packed
  return { missing, strays: new Map(strays.map(({ at, ...stray }) => [at + from, stray])) }
}
