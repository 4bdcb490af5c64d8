import type { Message, ToolCall } from '../../log/message.ts'
import { remember } from '../conversation/remember.ts'
import { isOrdinary, type Transcript, type Unit } from '../conversation/transcript.ts'
import { packIndex } from './pack-index.ts'
import { createRecallIndex, type RecallIndex } from './recall-index.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** A pause longer than this begins a new session. */
export const pause = 30 * 60 * 1000

/** A session without a pause ends after so many units: only whole sessions are looked into. */
const longest = 256

export interface Memory {
  readonly index: RecallIndex
  /** The time at which the last indexed unit ended. */
  time: number | undefined
  fits(units: number): boolean
}

/** The index of a conversation up to, not including, a unit. It grows with the conversation; each text is read once. */
export function indexTranscript(transcript: Transcript, upTo: number): RecallIndex {
  const memory = memoryOf(transcript)
  const { index } = memory
  for (let at = index.size; at < upTo; at++) {
    const unit = transcript.units[at]!
    const time = transcript.entries[unit.from]!.message.time
    const isSaid = isOrdinary(unit)
    const text = isSaid ? unitText(transcript, unit) : ''
    const isUser = unit.kind === 'user'
    // Where only one of both has a time, there is no pause; where none has had one so far, the words tell.
    const isTimed = (time ?? memory.time) !== undefined
    const isPaused = isTimed ? time! - memory.time! > pause : isUser && isElsewhere(index, text)
    const beginsSession = isPaused || at - (index.starts.at(-1) ?? 0) >= longest
    const ended = lastTime(transcript, unit)
    const tokens = isSaid ? unit.tokens : 0
    index.append({ text, isUser, tokens, beginsSession })
    // Set last: reading a text that is not in memory throws, and must leave nothing half done.
    memory.time = ended ?? memory.time
  }
  return index
}

/** Units that a message is compared with; a message of no more terms, or a session of no more units, is too short for it. */
const near = 6
const few = 3
/** The share of a message's terms, at least, that stand in those units, if it goes on with the same matter. */
const least = 0.2

/** Whether a message speaks of something else than the units before it. */
function isElsewhere(index: RecallIndex, text: string): boolean {
  const { size, starts, vocabulary } = index
  const terms = [...new Set(termsOf(withoutLabel(text)))]
  const shared = terms.filter(term => {
    const id = vocabulary.get(term) ?? -1
    return index.frequency(id, size) > index.frequency(id, size - near)
  })
  return size - starts.at(-1)! > few && terms.length > few && shared.length < terms.length * least
}

/** The index as bytes: a cache that spares a cold start the reading of every old text. */
export function saveIndex(transcript: Transcript): Uint8Array {
  const { index, time } = memoryOf(transcript)
  return packIndex(index, time)
}

/** Uses a saved index for a conversation that begins with the messages it was made from. */
export function adoptIndex(transcript: Transcript, { index, time }: Omit<Memory, 'fits'>): void {
  remember(transcript, key, () => toMemory(index, time))
}

/** Gives a fork the index of the conversation it was forked from: their past is the same. */
export function shareIndex(from: Transcript, to: Transcript): void {
  remember(to, key, () => memoryOf(from))
}

const memoryOf = (transcript: Transcript) => remember(transcript, key, () => toMemory(createRecallIndex()))

const toMemory = (index: RecallIndex, time?: number): Memory => {
  return { index, time, fits: units => index.size <= units }
}

const key = 'recall index'

/** All text of a unit: what was said, the calls with their arguments, the results. */
function unitText(transcript: Transcript, unit: Unit): string {
  return transcript.entries
    .slice(unit.from, unit.to)
    .filter(({ role }) => role !== 'assistant_note')
    .flatMap(({ message }) => saidIn(message, call => `${call.name} ${call.arguments}`))
    .join('\n')
}

/** Everything that a message says: its text, its calls, and the results that are not its text. */
export function saidIn({ role, text, calls, results }: Message, describe: (call: ToolCall) => string) {
  return [text, ...calls.map(describe), ...(role === 'tool' ? [] : results.map(result => result.text))]
}

/** The milliseconds between a unit and the message before it; NaN where a time is missing. */
export function restBefore({ units, entries }: Transcript, at: number): number {
  const { from } = units[at]!
  const time = (place: number) => entries[place]?.message.time ?? Number.NaN
  return time(from) - time(from - 1)
}

/** The time at which a unit ended, if its messages have times. */
export function lastTime(transcript: Transcript, unit: Unit): number | undefined {
  const timed = transcript.entries.slice(unit.from, unit.to)
  return timed.findLast(({ message }) => message.time !== undefined)?.message.time
}
