import { ThroughlineError } from '../../log/error.ts'
import { roles } from '../../log/message.ts'
import { createReader, createWriter, sumsOf } from '../../log/pack-bytes.ts'
import { attempt } from '../../log/values.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { firstPlace, placeOf } from '../conversation/first-place.ts'
import { lazyList, roomyList } from '../conversation/lazy-list.ts'
import type { Lists, Transcript } from '../conversation/transcript.ts'
import { countUnit, createTranscript, emptyLists, listUnit } from '../conversation/transcript.ts'
import type { Stray, Unit, UnitKind } from '../conversation/unit.ts'
import { adoptIndex, indexTranscript, lastTime } from '../recall/index-transcript.ts'
import { packStretch, stretchSize } from '../recall/packed/packed-stretch.ts'
import { createPackedWords, indexAfter } from '../recall/packed/packed-words.ts'
import { rulePlaces } from '../standing/rule-places.ts'
import { absentEntry } from './absent-entry.ts'

/** Units in one checkpoint; the last one may have fewer. */
export const unitsPerCheckpoint = stretchSize

/** Changes with the layout, the units or the terms: a checkpoint of another version is not used. */
export const checkpointVersion = 16

const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']

/** Packs what a context needs of settled units in a row, but no texts: the log can rebuild it. `to`: the unit after the last. */
export function packCheckpoint(
  transcript: Transcript,
  number: number,
  to = (number + 1) * unitsPerCheckpoint,
): Uint8Array {
  const units = transcript.units.slice(number * unitsPerCheckpoint, to)
  const entries = transcript.entries.slice(units[0]!.from, units.at(-1)!.to)
  const index = indexTranscript(transcript, to)
  const rules = rulesFrom(transcript, units[0]!.index, to)
  const bytes = createWriter()
  bytes.optional(lastTimeIn(transcript, units))
  bytes.text(JSON.stringify(mendedIn(units)))
  bytes.numbers(units.map(unit => kinds.indexOf(unit.kind)))
  bytes.numbers(units.map(unit => unit.tokens))
  bytes.numbers(units.map(unit => unit.noteTokens))
  bytes.numbers(units.map(unit => unit.saving))
  bytes.numbers(units.map(unit => (unit.refers ? 1 : 0)))
  bytes.numbers(units.map(unit => unit.touched.length))
  bytes.numbers(units.flatMap(unit => unit.touched))
  bytes.numbers(units.map(unit => unit.to - unit.from))
  bytes.numbers(rules.units)
  bytes.numbers(rules.tokens)
  bytes.numbers(entries.map(entry => roles.indexOf(entry.role)))
  bytes.numbers(entries.map(entry => entry.tokens))
  bytes.align()
  bytes.bytes(packStretch(index, number, to))
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
      : [
          {
            unit,
            missing,
            strays: [...strays].map(([at, stray]) => ({ at: at - from, ...stray })),
          },
        ],
  )
}

/** The messages with standing rules from one unit up to another, by their places behind the first. */
function rulesFrom(transcript: Transcript, from: number, to: number) {
  const { units, tokens } = rulePlaces(transcript, to)
  const [first, end] = [placeOf(units, from), placeOf(units, to)]
  return {
    units: units.slice(first, end).map(unit => unit - from),
    tokens: tokens.slice(first, end),
  }
}

/** The time of the last message that has one. */
function lastTimeIn(transcript: Transcript, units: readonly Unit[]): number | undefined {
  const timed = units.findLast(unit => lastTime(transcript, unit) !== undefined)
  return timed && lastTime(transcript, timed)
}

export const unusable = (why: string) =>
  new ThroughlineError(
    'invalid_checkpoint',
    `The checkpoint cannot be used: ${why}. It is made again from the log.`,
  )

/** What a checkpoint says of its units and entries, in columns. */
type PackedUnits = ReturnType<typeof readCheckpoint>

function readCheckpoint(packed: Uint8Array) {
  const bytes = createReader(packed, unusable)
  const time = bytes.optional()
  const mended = JSON.parse(bytes.text()) as readonly PackedMended[]
  const next = () => bytes.numbers()
  // A unit ends where the next one begins: `ends` are places, counted from the first entry of the checkpoint.
  const sizes = {
    kinds: next(),
    tokens: next(),
    noteTokens: next(),
    saving: next(),
    refers: next(),
  }
  const touches = { ends: sumsOf(next()), numbers: next() }
  const units = { ...sizes, touchedEnds: touches.ends, ends: sumsOf(next()) }
  const rules = { units: next(), tokens: next() }
  const entries = { roles: next(), tokens: next() }
  const size = units.ends.at(-1)
  const isWhole =
    units.kinds.length <= unitsPerCheckpoint &&
    Object.values(units).every(column => column.length === units.kinds.length) &&
    Object.values(entries).every(column => column.length === size) &&
    (touches.ends.at(-1) ?? 0) === touches.numbers.length &&
    rules.units.length === rules.tokens.length
  if (!isWhole) throw unusable('its parts do not fit together')
  bytes.align()
  return { time, mended, rules, units, touched: touches.numbers, entries, words: bytes.rest() }
}

/** Rebuilds a transcript without texts from checkpoints, oldest first, up to the first unreadable one; `used` says how many. */
export function restoreTranscript(count: TokenCounter, checkpoints: readonly Uint8Array[]) {
  const words = createPackedWords(unusable)
  const parts: PlacedCheckpoint[] = []
  let size = 0
  let unitCount = 0
  let time: number | undefined
  for (const packed of checkpoints) {
    const part = attempt(() => {
      const read = readCheckpoint(packed)
      words.add(read.words)
      return { ...read, from: size, mended: new Map(read.mended.map(one => [one.unit, one])) }
    }, undefined)
    if (!part) break
    parts.push(part)
    size += part.entries.roles.length
    unitCount += part.units.kinds.length
    time = part.time ?? time
  }
  // With room for all: lists that grow are copied again and again.
  const lists = emptyLists(() => roomyList<number>(unitCount + 1).fill(0))
  countUnits(lists, parts, unitCount)
  lists.rules.read = unitCount
  for (const [number, part] of parts.entries()) {
    listNotes(lists, part, number)
    for (const unit of part.rules.units) lists.rules.units.push(number * unitsPerCheckpoint + unit)
    for (const tokens of part.rules.tokens) lists.rules.tokens.push(tokens)
    for (const unit of placesOf(part.units.refers, 1))
      lists.references.push(number * unitsPerCheckpoint + unit)
  }
  const units = lazyList(unitCount, index => unitAt(parts, index))
  const entries = lazyList(size, at => entryAt(parts, at))
  const transcript = createTranscript(count, { ...lists, units, entries })
  adoptIndex(transcript, { index: indexAfter(words), time })
  return { transcript, used: parts.length }
}

/** A checkpoint: `from` is the place of its first entry. */
interface PlacedCheckpoint extends Omit<PackedUnits, 'mended'> {
  readonly from: number
  readonly mended: ReadonlyMap<number, PackedMended>
}

/** Adds all units to the lists and sums. */
function countUnits(lists: Lists, parts: readonly PlacedCheckpoint[], size: number): void {
  // In columns of one kind: the loop is compiled once.
  const joined = (name: 'kinds' | 'tokens' | 'noteTokens' | 'saving') => {
    const column = new Uint32Array(size)
    for (const [number, { units }] of parts.entries())
      column.set(units[name], number * unitsPerCheckpoint)
    return column
  }
  const [kindOf, tokens] = [joined('kinds'), joined('tokens')]
  const [noteTokens, saving] = [joined('noteTokens'), joined('saving')]
  for (let unit = 0; unit < size; unit++) {
    const kind = kinds[kindOf[unit]!]!
    listUnit(lists, unit, kind)
    countUnit(lists, unit, {
      kind,
      tokens: tokens[unit]!,
      noteTokens: noteTokens[unit]!,
      saving: saving[unit]!,
    })
  }
}

/** The places of a number in a column. Most columns have it nowhere, and that is seen at once. */
function* placesOf(column: PackedUnits['touched'], number: number): Generator<number> {
  for (let at = column.indexOf(number); at >= 0; at = column.indexOf(number, at + 1)) yield at
}

function listNotes(
  { notes }: Lists,
  { from, units, entries }: PlacedCheckpoint,
  number: number,
): void {
  for (const at of placesOf(entries.roles, roles.indexOf('assistant_note'))) {
    const unit = firstPlace(units.ends.length, place => units.ends[place]! > at)
    notes.push({ at: from + at, unit: number * unitsPerCheckpoint + unit })
  }
}

function unitAt(parts: readonly PlacedCheckpoint[], index: number): Unit {
  const unit = index % unitsPerCheckpoint
  const { from, units, touched, mended } = parts[Math.floor(index / unitsPerCheckpoint)]!
  const first = from + (units.ends[unit - 1] ?? 0)
  return {
    index,
    kind: kinds[units.kinds[unit]!]!,
    from: first,
    to: from + units.ends[unit]!,
    tokens: units.tokens[unit]!,
    noteTokens: units.noteTokens[unit]!,
    saving: units.saving[unit]!,
    refers: units.refers[unit] === 1,
    touched: [...touched.subarray(units.touchedEnds[unit - 1] ?? 0, units.touchedEnds[unit])],
    ...repairs(mended.get(unit), first),
  }
}

function repairs(packed: PackedMended | undefined, from: number): Pick<Unit, 'missing' | 'strays'> {
  if (!packed) return whole
  const { missing, strays } = packed
  return { missing, strays: new Map(strays.map(({ at, ...stray }) => [at + from, stray])) }
}

const whole = { missing: [], strays: new Map() }

function entryAt(parts: readonly PlacedCheckpoint[], at: number) {
  const { from, entries } = parts[firstPlace(parts.length, number => parts[number]!.from > at) - 1]!
  return absentEntry(at, roles[entries.roles[at - from]!]!, entries.tokens[at - from]!)
}
