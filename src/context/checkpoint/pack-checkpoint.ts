import type { MessageLike, Role } from '../../log/message.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Stray, Unit, UnitKind } from '../conversation/unit.ts'
import { createWriter } from '../recall/bytes.ts'
import { indexTranscript, lastTime } from '../recall/index-transcript.ts'
import { countBelow } from '../recall/numbers.ts'
import type { RecallIndex } from '../recall/recall-index.ts'

/** Units in one checkpoint. Full checkpoints are never written again. */
export const unitsPerCheckpoint = 512

export const kinds: readonly UnitKind[] = ['system', 'user', 'assistant', 'tools', 'note', 'stray']
export const roles: readonly Role[] = ['system', 'user', 'assistant', 'tool', 'assistant_note']

/**
 * Packs what a context needs of a stretch of units besides their texts: sizes, kinds and words. A cache that can be
 * rebuilt from the log. The units must be settled: something follows them.
 */
export function packCheckpoint<M extends MessageLike>(
  transcript: Transcript<M>,
  from: number,
  to: number,
): Uint8Array {
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
