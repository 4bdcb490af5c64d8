import { hashText } from '../../log/hash-text.ts'
import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { markerText } from '../../log/texts.ts'
import { withTail } from '../../log/write-message.ts'
import { inexactMargin } from '../../tokens/calibration.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { type Conversation, firstSeq } from '../conversation/conversation.ts'
import { rangeAt } from '../conversation/first-place.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { PromptLayout } from '../prompt/layout.ts'
import { type SplitPrompt, splitPrompt } from '../prompt/split-prompt.ts'
import type { Part, Remembered } from '../receipt.ts'
import { counterOf, type FrameOptions, keepsPrompt, withoutLateSystem } from './frame-options.ts'
import { type NotesSection, notesSection } from './notes-section.ts'
import type { UnitRange } from './span.ts'

/** What is settled before a policy begins: the room, the system prompt, the protected units. */
export interface Frame
  extends Conversation,
    Required<
      Omit<
        FrameOptions,
        | 'marker'
        | 'count'
        | 'nonce'
        | 'pins'
        | 'tools'
        | 'maxToolTokens'
        | 'leaveOut'
        | 'systemPrompt'
        | 'promptLayout'
      >
    >,
    Pick<FrameOptions, 'leaveOut'> {
  readonly count: Required<TokenCounter>
  readonly margin: number
  readonly capacity: number
  readonly nonce: string | undefined
  /** The system prompt as it will be sent, pins and notes included. */
  readonly head: readonly Piece[]
  readonly headNotes: NotesSection | undefined
  /** The changing lines of the system prompt, where they stand apart. */
  readonly changing?: Changing | undefined
  readonly toolTokens: number
  /** The protected end: the latest user message, the last round, the last unit. */
  readonly ends: readonly number[]
  /** Every protected unit, in order: the first user message, system messages, the protected end, what policies protect. */
  readonly fixed: ReadonlySet<number>
  readonly fixedList: readonly number[]
  /** The messages of the last exchange as they are sent, by their units; see `withLastExchange`. */
  readonly exchange: ReadonlyMap<number, Entry>
  /** The units that policies protect. */
  readonly held: ReadonlyMap<number, Protection>
  /** The unit after the first user message if it already is a marker, or -1. */
  readonly markerText: string
  readonly marker: number
  /** Told how a policy decides, for `why`. */
  readonly watch?: Watch
  /** Called between pieces of long work. It may throw, so that others get their turn: the next fit goes on there. */
  readonly rest?: (() => void) | undefined
}

/** The changing lines of the system prompt, as a message before a unit. */
export interface Changing extends SplitPrompt {
  readonly role: 'system' | 'user'
  readonly unit: number
  readonly tokens: number
  /** What is known of the prompt now. A cut keeps its `room` for the message, so that it does not move with every line. */
  readonly layout: PromptLayout & { readonly room: number }
}

/** Which policy protects a unit, and why. */
export interface Protection {
  readonly rule: string
  readonly why: string
}

/** A frame with more protected units. */
export function withProtected(frame: Frame, added: readonly (readonly [number, Protection])[]): Frame {
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

/**
 * Called with the state of the cut, the room and the ledger of a stable cut; with each search of recall and the tokens that it may spend; then with
 * every unit that is weighed, best first, its cost and what is left for it.
 */
export type Watch = (decision: object, left?: number, unit?: number, cost?: number) => void

export function createFrame(conversation: Conversation, options: FrameOptions): Frame {
  const { transcript } = conversation
  const { window, reserve = 0, tools = [], pins = [], nonce } = options
  const { notes = 'inline', noteBudget = Math.floor(window / 16) } = options
  const { noteCount = Number.POSITIVE_INFINITY, shape = 'free' } = options
  const { systemRole = true, overflow = 'error', full = false, marker = markerText } = options
  const count = counterOf(options)
  const margin = marginOf(count, window - reserve)
  const headNotes =
    notes === 'system' ? notesSection({ transcript, count, noteBudget, noteCount }, () => true) : undefined
  const ends = protectedEnd(transcript)
  const changing = splitFrom(conversation, options, count)
  const settled = { window, reserve, shape, systemRole, overflow, full, notes, noteBudget, noteCount, nonce }
  return {
    ...conversation,
    ...settled,
    leaveOut: options.leaveOut,
    count,
    margin,
    capacity: window - reserve - margin,
    head: headPieces(conversation, { pins, notes: headNotes, count, changing }),
    headNotes,
    changing,
    toolTokens: tools.length > 0 ? count.tools(tools) : 0,
    ends,
    ...protecting([...transcript.systems, transcript.firstUser, ...ends]),
    exchange: new Map(),
    held: new Map(),
    markerText: marker,
    marker: findMarker(transcript, marker),
  }
}

/** The tokens of a room that are kept free where the counter only estimates. */
export function marginOf({ exact }: Pick<TokenCounter, 'exact'>, room: number): number {
  return exact ? 0 : Math.ceil(room * inexactMargin)
}

interface HeadOptions {
  readonly pins: readonly string[]
  readonly notes: NotesSection | undefined
  readonly changing: Changing | undefined
  readonly count: TokenCounter
}

/** Takes the changing lines out of the system prompt. They stand before the newest user message. */
function splitFrom(
  { system, transcript, origin }: Conversation,
  { promptLayout: earlier = {}, shape, systemPrompt }: FrameOptions,
  count: TokenCounter,
): Changing | undefined {
  const place = shape === 'alternating' ? withoutLateSystem(systemPrompt) : systemPrompt
  if (!keepsPrompt(place) || transcript.units.length === 0) return undefined
  const role = place === 'as user' ? 'user' : 'system'
  const raws = system.map(({ raw }) => raw)
  const split = splitPrompt(raws, earlier, origin + transcript.entries.length)
  const { text, heads } = split
  const tokens = text === '' ? 0 : count.message(parseMessage({ role, content: text }, 0))
  const room = Math.max(earlier.room ?? 0, Math.ceil(tokens / roomStep) * roomStep)
  if (text === '') return { ...split, role, tokens, unit: 0, layout: { heads, room } }
  const hash = hashText(text)
  const before = earlier.last?.hash === hash ? earlier.last.before - origin : -1
  const unit = placeChanging(transcript, before)
  const last = { hash, before: origin + transcript.units[unit]!.from }
  return { ...split, role, tokens, unit, layout: { heads, room, last } }
}

const roomStep = 64

/**
 * The unit before which the changing lines stand: the newest user message, or, where they have changed during its turn, the
 * last round. `before`: the entry before which they stood, if they are the same as then.
 */
function placeChanging({ units, stops, latestUser }: Transcript, before: number): number {
  const user = Math.max(0, latestUser)
  const stood = before < 0 ? -1 : rangeAt(units, before)
  if (stood >= user && stood < units.length) return stood
  const isBegun = before < 0 && (stops.at(-1) ?? 0) > user
  return isBegun ? stops.at(-1)! : user
}

/** Pins and notes stand at the end of the last system message, so that the text before them stays the same. */
function headPieces(
  conversation: Conversation,
  { pins, notes, count, changing }: HeadOptions,
): readonly Piece[] {
  const why = 'pinned facts and notes travel in the system prompt'
  const first = firstSeq(conversation)
  const pieces = conversation.system.map((entry, place) => {
    const piece = entryPiece(entry, 'system', first + place)
    const raw = changing?.messages[place] ?? entry.raw
    return raw === entry.raw ? piece : rewritten({ count }, { ...piece, altered: withoutChanging }, raw)
  })
  const added = (piece: Omit<Piece, 'raw' | 'message' | 'tokens'>, text: string) =>
    rewritten({ count }, { ...piece, added: why }, { role: 'system', content: text })
  const section = notes?.text ? [added({ part: 'notes', seqs: [], notes: notes.moved }, notes.text)] : []
  const text = [...pins, ...(notes?.text ? [notes.text] : [])].join('\n\n')
  if (text === '') return pieces
  const last = pieces.pop()
  const piece = {
    part: 'system',
    seqs: last?.seqs ?? [],
    carries: section.length > 0 ? section : undefined,
  } as const
  if (!last) return [added(piece, text)]
  const altered = { rule: 'pins', why }
  return [...pieces, rewritten({ count }, { ...piece, altered }, withTail(last.raw, text))]
}

const withoutChanging = {
  rule: 'system prompt',
  why: 'its changing lines stand just before the newest message',
}

/**
 * The latest user message, the last tool round after it, and the last message. Earlier rounds of a long open turn are
 * not protected: an agent with one user message and sixty rounds must go on working.
 */
function protectedEnd({ units, latestUser, stops }: Transcript): readonly number[] {
  const last = units.findLastIndex(({ kind }) => kind !== 'note' && kind !== 'stray')
  return protecting([latestUser, stops.at(-1) ?? -1, last]).fixedList
}

function findMarker({ units, entries, systems, firstUser }: Transcript, text: string): number {
  const isMarker = (index: number) => index > firstUser && entries[units[index]!.from]!.message.text === text
  return systems.find(isMarker) ?? -1
}

/** One message of a context in the making: the message, its tokens, the entries in it. */
export interface Piece {
  readonly raw: MessageLike
  readonly message: Message
  readonly tokens: number
  readonly part: Part
  /** Places of the input messages in it; none for a message that the library adds. */
  readonly seqs: readonly number[]
  /** Why the message is not the caller's own object. */
  readonly altered?: { readonly rule: string; readonly why: string }
  /** Whether a long result or answer in it is one line. */
  readonly isCleared?: boolean
  /** Who protected the message, if a policy did. */
  readonly held?: Protection | undefined
  /** Why the message was added; absent for a message of the input. */
  readonly added?: string
  /** The units that an added text stands for, or the entries of the notes in it. */
  readonly of?: readonly UnitRange[]
  readonly notes?: readonly number[]
  readonly remembered?: Remembered | undefined
  /** Pieces that were joined into this one. */
  readonly carries?: readonly Piece[]
  /** A digest that wants an answer where roles must alternate. */
  readonly answered?: boolean
}

/** A message of the input as it is sent. */
export function entryPiece({ raw, message, tokens, altered }: Entry, part: Part, seq: number): Piece {
  return { raw, message, tokens, part, seqs: [seq], altered }
}

/** A piece with another message in it, read and counted anew. */
export function rewritten(
  { count }: { readonly count: TokenCounter },
  piece: Omit<Piece, 'raw' | 'message' | 'tokens'>,
  raw: MessageLike,
): Piece {
  const message = parseMessage(raw, piece.seqs[0] ?? 0)
  return { ...piece, raw, message, tokens: count.message(message) }
}
