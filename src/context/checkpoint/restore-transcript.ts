import { attempt } from '../../log/attempt.ts'
import { roles } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { firstPlace } from '../conversation/first-place.ts'
import {
  countUnit,
  createTranscript,
  emptyLists,
  type Lists,
  listUnit,
  type Transcript,
  type Unit,
} from '../conversation/transcript.ts'
import { adoptIndex } from '../recall/index-transcript.ts'
import { createPackedWords, indexAfter } from '../recall/packed-words.ts'
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
  const parts: Part[] = []
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
    if (!Number.isNaN(part.time)) time = part.time
  }
  // With room for all: lists that grow are copied again and again.
  const sums = () => new Array<number>(unitCount + 1).fill(0)
  const lists = { ...emptyLists(), costBefore: sums(), noteCostBefore: sums(), ordinaryBefore: sums() }
  for (const [number, part] of parts.entries()) countUnits(lists, part, number)
  const units = lazyList(unitCount, index => unitAt(parts, index))
  const entries = lazyList(size, at => entryAt(parts, at))
  const transcript = createTranscript(count, { ...lists, units, entries })
  adoptIndex(transcript, { index: indexAfter(words), time })
  return { transcript, used: parts.length }
}

/** A checkpoint: `from` is the place of its first entry. */
interface Part extends Omit<PackedUnits, 'mended'> {
  readonly from: number
  readonly mended: ReadonlyMap<number, PackedMended>
}

/** Adds the units of a checkpoint to the lists and sums, and its notes to theirs. */
function countUnits(lists: Lists, { from, units, entries }: Part, number: number): void {
  const start = number * unitsPerCheckpoint
  for (let unit = 0; unit < units.kinds.length; unit++) {
    const kind = kinds[units.kinds[unit]!]!
    listUnit(lists, start + unit, kind)
    countUnit(lists, start + unit, kind, units.tokens[unit]!, units.noteTokens[unit]!)
  }
  const note = roles.indexOf('assistant_note')
  for (let at = entries.roles.indexOf(note); at >= 0; at = entries.roles.indexOf(note, at + 1)) {
    const unit = firstPlace(units.ends.length, place => units.ends[place]! > at)
    lists.notes.push({ at: from + at, unit: start + unit })
  }
}

function unitAt(parts: readonly Part[], index: number): Unit {
  const unit = index % unitsPerCheckpoint
  const { from, units, mended } = parts[Math.floor(index / unitsPerCheckpoint)]!
  const first = from + (units.ends[unit - 1] ?? 0)
  return {
    index,
    kind: kinds[units.kinds[unit]!]!,
    from: first,
    to: from + units.ends[unit]!,
    tokens: units.tokens[unit]!,
    noteTokens: units.noteTokens[unit]!,
    ...repairs(mended.get(unit), first),
  }
}

function repairs(packed: PackedMended | undefined, from: number): Pick<Unit, 'missing' | 'strays'> {
  if (!packed) return whole
  const { missing, strays } = packed
  return { missing, strays: new Map(strays.map(({ at, ...stray }) => [at + from, stray])) }
}

const whole = { missing: [], strays: new Map() }

function entryAt(parts: readonly Part[], at: number) {
  const { from, entries } = parts[firstPlace(parts.length, number => parts[number]!.from > at) - 1]!
  return absentEntry(at, roles[entries.roles[at - from]!]!, entries.tokens[at - from]!)
}
