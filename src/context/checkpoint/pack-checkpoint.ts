import { ThroughlineError } from '../../log/error.ts'
import { roles } from '../../log/message.ts'
import { createReader, createWriter, sumsOf } from '../../log/pack-bytes.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Stray, Unit, UnitKind } from '../conversation/unit.ts'
import { indexTranscript, lastTime } from '../recall/index-transcript.ts'
import { packStretch, stretchSize } from '../recall/packed/packed-stretch.ts'

/** Units in one checkpoint; the last one may have fewer. */
export const unitsPerCheckpoint = stretchSize

/** Changes with the layout, the units or the terms: a checkpoint of another version is not used. */
export const checkpointVersion = 14

export const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']

/**
 * Packs what a context needs of units in a row besides their texts: sizes, kinds and words. A cache that can be
 * rebuilt from the log. The units must be settled: something follows them. `to`: the unit after the last.
 */
export function packCheckpoint(
  transcript: Transcript,
  number: number,
  to = (number + 1) * unitsPerCheckpoint,
): Uint8Array {
  const units = transcript.units.slice(number * unitsPerCheckpoint, to)
  const entries = transcript.entries.slice(units[0]!.from, units.at(-1)!.to)
  const index = indexTranscript(transcript, to)
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
  bytes.numbers(entries.map(entry => roles.indexOf(entry.role)))
  bytes.numbers(entries.map(entry => entry.tokens))
  bytes.align()
  bytes.bytes(packStretch(index, number, to))
  return bytes.done()
}

/** A unit that was repaired, by its place in the checkpoint. Strays are named by their places in it. */
export interface PackedMended extends Pick<Unit, 'missing'> {
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
export type PackedUnits = ReturnType<typeof readCheckpoint>

export function readCheckpoint(packed: Uint8Array) {
  const bytes = createReader(packed, unusable)
  const time = bytes.optional()
  const mended = JSON.parse(bytes.text()) as readonly PackedMended[]
  const next = () => bytes.numbers()
  // A unit ends where the next one begins: `ends` are places, counted from the first entry of the checkpoint.
  const sizes = { kinds: next(), tokens: next(), noteTokens: next(), saving: next(), refers: next() }
  const touches = { ends: sumsOf(next()), numbers: next() }
  const units = { ...sizes, touchedEnds: touches.ends, ends: sumsOf(next()) }
  const entries = { roles: next(), tokens: next() }
  const size = units.ends.at(-1)
  const isWhole =
    units.kinds.length <= unitsPerCheckpoint &&
    Object.values(units).every(column => column.length === units.kinds.length) &&
    Object.values(entries).every(column => column.length === size) &&
    (touches.ends.at(-1) ?? 0) === touches.numbers.length
  if (!isWhole) throw unusable('its parts do not fit together')
  bytes.align()
  return { time, mended, units, touched: touches.numbers, entries, words: bytes.rest() }
}
