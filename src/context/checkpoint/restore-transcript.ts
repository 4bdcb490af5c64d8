import { attempt } from '../../log/attempt.ts'
import { roles } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { firstPlace } from '../conversation/first-place.ts'
import { roomyList } from '../conversation/roomy-list.ts'
import {
  countUnit,
  createTranscript,
  emptyLists,
  type Lists,
  listUnit,
  type Transcript,
} from '../conversation/transcript.ts'
import type { Unit } from '../conversation/unit.ts'
import { adoptIndex } from '../recall/index-transcript.ts'
import { createPackedWords, indexAfter } from '../recall/packed/packed-words.ts'
import { absentEntry } from './absent-entry.ts'
import { lazyList } from './lazy-list.ts'
import {
  kinds,
  type PackedMended,
  type PackedUnits,
  readCheckpoint,
  unitsPerCheckpoint,
  unusable,
} from './pack-checkpoint.ts'

/**
 * Rebuilds a transcript from its checkpoints, oldest first, without texts: those are loaded when a context needs them.
 * Ends before the first that cannot be read; `used` says how many there were.
 */
export function restoreTranscript(
  count: TokenCounter,
  checkpoints: readonly Uint8Array[],
): { readonly transcript: Transcript; readonly used: number } {
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
  for (const [number, part] of parts.entries()) {
    listNotes(lists, part, number)
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
    for (const [number, { units }] of parts.entries()) column.set(units[name], number * unitsPerCheckpoint)
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

function listNotes({ notes }: Lists, { from, units, entries }: PlacedCheckpoint, number: number): void {
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
