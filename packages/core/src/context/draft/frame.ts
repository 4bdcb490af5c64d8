import { readMessageName } from '../../log/tool-names.ts'
import { isObject } from '../../log/values.ts'
import { inexactMargin } from '../../tokens/calibrate.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { type FrameOptions, type SettledOptions, settleOptions } from './frame-options.ts'
import { type Changing, headPieces, takeChanging } from './head.ts'
import { type NotesSection, notesSection } from './notes-section.ts'
import type { Piece, Reason } from './piece.ts'

/** What is settled before a policy begins: the options, the room, the system prompt, the protected units. */
export interface Frame extends Conversation, SettledOptions {
  readonly margin: number
  readonly capacity: number
  /** Whether all of the conversation is sent, and as it was written where the options want that. */
  readonly isWhole: boolean
  /** The system prompt as it will be sent, pins and notes included. */
  readonly head: readonly Piece[]
  readonly headNotes: NotesSection | undefined
  /** The changing lines of the system prompt, where they stand apart. */
  readonly changing: Changing | undefined
  readonly toolTokens: number
  /** The protected end: the latest user message, the last round, the last unit. */
  readonly ends: readonly number[]
  /** Every protected unit, in order: the first user message, system messages, the protected end, what policies protect. */
  readonly fixed: ReadonlySet<number>
  readonly fixedList: readonly number[]
  /** The messages of the last exchange as they are sent, by their units; see `withLastExchange`. */
  readonly exchange: ReadonlyMap<number, Entry>
  /** The units that policies protect: which policy, and why. */
  readonly held: ReadonlyMap<number, Reason>
  /** The unit after the first user message if it already is a marker, or -1. */
  readonly markerUnit: number
  /** Told how a policy decides, for `why`. */
  readonly watch?: Watch
  /** Whether the model may read any message by its number. */
  readonly isReadable: boolean
  /** Called between pieces of long work. It may throw, so that others get their turn: the next fit goes on there. */
  readonly rest?: () => void
}

/** Told of a stable cut, of each search of recall and what it may spend, and of each unit weighed, its cost and what is left. */
export type Watch = (decision: object, left?: number, unit?: number, cost?: number) => void

/** `isWhole`: all of the conversation is sent, so its system prompt is sent as it came. */
export function createFrame(
  conversation: Conversation,
  options: FrameOptions,
  isWhole = false,
): Frame {
  const { transcript } = conversation
  const settled = settleOptions(options)
  const { window, reserve, count, tools, notes, marker } = settled
  const margin = marginOf(count, window - reserve)
  const headNotes =
    notes === 'system' ? notesSection({ ...settled, transcript }, () => true) : undefined
  const changing = takeChanging(conversation, settled, isWhole)
  const ends = protectedEnd(transcript)
  return {
    ...conversation,
    ...settled,
    margin,
    isWhole,
    capacity: window - reserve - margin,
    head: headPieces(conversation, settled, changing, headNotes),
    headNotes,
    changing,
    toolTokens: tools.length > 0 ? count.tools(tools) : 0,
    isReadable: tools.some(isReader),
    ends,
    ...protecting([...transcript.systems, transcript.firstUser, ...ends]),
    exchange: new Map(),
    held: new Map(),
    markerUnit: findMarker(transcript, marker),
  }
}

/** Whether a tool is the one that reads messages, in any of the forms in which tools are offered. */
function isReader(tool: unknown): boolean {
  if (!isObject(tool)) return false
  const { name } = isObject(tool.function) ? tool.function : tool
  return name === readMessageName
}

/** A frame with more protected units. */
export function withProtected(frame: Frame, added: readonly (readonly [number, Reason])[]): Frame {
  return {
    ...frame,
    ...protecting([...frame.fixedList, ...added.map(([unit]) => unit)]),
    held: new Map([...frame.held, ...added]),
  }
}

/** A frame in which some units are not protected any more. */
export function withoutProtected(frame: Frame, units: Pick<ReadonlySet<number>, 'has'>): Frame {
  return { ...frame, ...protecting(frame.fixedList.filter(unit => !units.has(unit))) }
}

/** The protected units, in order, without the -1 of what is not there. */
export function protecting(units: readonly number[]): Pick<Frame, 'fixed' | 'fixedList'> {
  const fixed = new Set(units.filter(index => index >= 0).sort((a, b) => a - b))
  return { fixed, fixedList: [...fixed] }
}

/** The tokens of a room that are kept free where the counter only estimates. */
export function marginOf({ exact }: Pick<TokenCounter, 'exact'>, room: number): number {
  return exact ? 0 : Math.ceil(room * inexactMargin)
}

/** The latest user message, the last round after it, and the last message. Earlier rounds may go: an agent makes sixty. */
function protectedEnd({ units, latestUser, stops }: Transcript): readonly number[] {
  const last = units.findLastIndex(({ kind }) => kind !== 'note' && kind !== 'stray')
  return protecting([latestUser, stops.at(-1) ?? -1, last]).fixedList
}

function findMarker({ units, entries, systems, firstUser }: Transcript, text: string): number {
  const isMarker = (index: number) =>
    index > firstUser && entries[units[index]!.from]!.message.text === text
  return systems.find(isMarker) ?? -1
}
