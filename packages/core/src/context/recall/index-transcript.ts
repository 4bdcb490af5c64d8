import { remember } from '../conversation/remember.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { isOrdinary, type Unit, unitText } from '../conversation/unit.ts'
import { packIndex, type unpackIndex } from './packed/packed-words.ts'
import { createRecallIndex, type RecallIndex } from './recall-index.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** A pause longer than this begins a new session. */
export const pause = 30 * 60 * 1000

/** The most units of a session without a pause: only whole sessions are looked into. */
const longest = 256

/** The index of a conversation up to, not including, a unit. It grows with the conversation; each text is read once. */
export function indexTranscript(transcript: Transcript, upTo: number): RecallIndex {
  const memory = memoryOf(transcript)
  const { index } = memory
  for (let at = index.size; at < upTo; at++) {
    const unit = transcript.units[at]!
    const time = transcript.entries[unit.from]!.message.time
    const isSaid = isOrdinary(unit)
    const text = isSaid ? unitText(transcript, unit) : ''
    const terms = termsOf(text)
    const isUser = unit.kind === 'user'
    // Where only one of both has a time, there is no pause; where none has had one so far, the words tell.
    const isUntimed = time === undefined && memory.time === undefined
    const isPaused = isUntimed
      ? isUser && isElsewhere(index, text, terms)
      : timeBetween(memory.time, time) > pause
    const beginsSession = isPaused || at - (index.starts.at(-1) ?? 0) >= longest
    const ended = lastTime(transcript, unit)
    const tokens = isSaid ? unit.tokens : 0
    index.append({ text, isUser, tokens, beginsSession, terms })
    // Set last: reading a text that is not in memory throws, and must leave nothing half done.
    memory.time = ended ?? memory.time
  }
  return index
}

/** The time between two messages; 0 if one of them has none. */
function timeBetween(before: number | undefined, time: number | undefined): number {
  return before === undefined || time === undefined ? 0 : time - before
}

/** A message is compared with this many units before it. */
const near = 6
/** Messages of at most this many terms, and sessions of at most this many units, are too short to be compared. */
const few = 3
/** A message goes on with the same matter if at least this share of its terms stands in those units. */
const least = 0.2

/** Whether a message speaks of something else than the units before it. `all`: its terms, with those of its label. */
function isElsewhere(index: RecallIndex, text: string, all: readonly string[]): boolean {
  const { size, starts, vocabulary } = index
  if (size - (starts.at(-1) ?? 0) <= few || all.length <= few) return false
  const said = withoutLabel(text)
  const terms = said.length === text.length ? all : termsOf(said)
  const shared = new Set<number>()
  for (const term of terms) {
    const id = vocabulary.get(term)
    if (id === undefined || !index.isSince(id, size - near)) continue
    shared.add(id)
    // Mostly it goes on, and the first words show it.
    if (shared.size >= terms.length * least) return false
  }
  const different = new Set(terms).size
  return different > few && shared.size < different * least
}

/** The index as bytes: a cache that spares a cold start the reading of every old text. */
export function saveIndex(transcript: Transcript): Uint8Array {
  const { index, time } = memoryOf(transcript)
  return packIndex(index, time)
}

type SavedIndex = ReturnType<typeof unpackIndex>

/** Uses a saved index for a conversation that begins with the messages it was made from. */
export function adoptIndex(transcript: Transcript, { index, time }: SavedIndex): void {
  remember(transcript, key, () => toMemory(index, time))
}

/** Gives a fork the index of the conversation it was forked from: their past is the same. */
export function shareIndex(from: Transcript, to: Transcript): void {
  remember(to, key, () => memoryOf(from))
}

const memoryOf = (transcript: Transcript) =>
  remember(transcript, key, () => toMemory(createRecallIndex()))

/** `time`: when the last indexed unit ended. */
const toMemory = (index: RecallIndex, time?: number) => {
  return { index, time, fits: (units: number) => index.size <= units }
}

const key = 'recall index'

/** Whether a unit comes after a pause. Where times are missing, none is known of. */
export function comesAfterPause({ units, entries }: Transcript, at: number): boolean {
  const { from } = units[at]!
  const timeOf = (place: number) => entries[place]?.message.time
  return timeBetween(timeOf(from - 1), timeOf(from)) > pause
}

/** The time at which a unit ended, if its messages have times. */
export function lastTime(transcript: Transcript, unit: Unit): number | undefined {
  for (let at = unit.to - 1; at >= unit.from; at--) {
    const { time } = transcript.entries[at]!.message
    if (time !== undefined) return time
  }
  return undefined
}
