import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { markerText, notesTitle } from '../../log/texts.ts'
import { withTail } from '../../log/write-message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Part } from '../receipt.ts'
import { counterOf, type FrameOptions } from './frame-options.ts'

/** What is settled before a policy begins: the room, the system prompt, the protected units. */
export interface Frame
  extends Conversation,
    Required<Omit<FrameOptions, 'count' | 'nonce' | 'pins' | 'tools' | 'leaveOut'>>,
    Pick<FrameOptions, 'leaveOut'> {
  readonly count: Required<TokenCounter>
  readonly margin: number
  readonly capacity: number
  readonly nonce: string | undefined
  /** The system prompt as it will be sent, pins and notes included. */
  readonly head: readonly Piece[]
  readonly headNotes: NotesSection | undefined
  readonly toolTokens: number
  /** The protected end: the latest user message, the last round, the last unit. */
  readonly ends: readonly number[]
  /** Every unit that is protected by its place, in order: the first user message, system messages, the protected end. */
  readonly fixed: ReadonlySet<number>
  /** The unit after the first user message if it already is a marker, or -1. */
  readonly marker: number
  /** Told how a policy decides, for `why`. */
  readonly watch?: Watch
}

/**
 * Called with the fold and the room of a stable cut; with each search of recall and the tokens that it may spend; then with
 * every unit that is weighed, best first, its cost and what is left for it.
 */
export type Watch = (decision: object, left?: number, unit?: number, cost?: number) => void

export function createFrame({ system, transcript }: Conversation, options: FrameOptions): Frame {
  const { window, reserve = 0, tools = [], pins = [], nonce } = options
  const {
    notes = 'inline',
    noteBudget = Math.floor(window / 16),
    noteCount = Number.POSITIVE_INFINITY,
  } = options
  const { shape = 'free', systemRole = true, overflow = 'error' } = options
  const count = counterOf(options)
  const margin = marginOf(count, window - reserve)
  const headNotes =
    notes === 'system' ? notesSection({ transcript, count, noteBudget, noteCount }, () => true) : undefined
  const added = [...pins, ...(headNotes?.text ? [headNotes.text] : [])].join('\n\n')
  const ends = protectedEnd(transcript)
  const settled = { window, reserve, shape, systemRole, overflow, notes, noteBudget, noteCount, nonce }
  return {
    ...settled,
    ...(options.leaveOut && { leaveOut: options.leaveOut }),
    system,
    transcript,
    count,
    margin,
    capacity: window - reserve - margin,
    head: headPieces(system, added, count),
    headNotes,
    toolTokens: tools.length > 0 ? count.tools(tools) : 0,
    ends,
    fixed: new Set(ascending([...transcript.systems, transcript.firstUser, ...ends])),
    marker: findMarker(transcript),
  }
}

/** The tokens of a room that are kept free where the counter only estimates. */
export function marginOf({ exact }: Pick<TokenCounter, 'exact'>, room: number): number {
  return exact ? 0 : Math.ceil(room * 0.05)
}

/** Pins and notes stand at the end of the last system message, so that the text before them stays the same. */
function headPieces(system: readonly Entry[], added: string, count: TokenCounter): readonly Piece[] {
  const pieces = system.map((entry, seq) => entryPiece(entry, 'system', seq))
  if (added === '') return pieces
  const last = pieces.pop()
  const altered = { rule: 'pins', why: 'pinned facts and notes travel in the system prompt' }
  const piece = { part: 'system', seqs: last?.seqs ?? [], altered } as const
  return [
    ...pieces,
    rewritten({ count }, piece, last ? withTail(last.raw, added) : { role: 'system', content: added }),
  ]
}

/**
 * The latest user message, the last tool round after it, and the last message. Earlier rounds of a long open turn are
 * not protected: an agent with one user message and sixty rounds must go on working.
 */
function protectedEnd({ units, latestUser, stops }: Transcript): readonly number[] {
  const last = units.findLastIndex(({ kind }) => kind !== 'note' && kind !== 'stray')
  return ascending([...new Set([latestUser, stops.at(-1) ?? -1, last])])
}

/** Without the -1 of what is not there. */
function ascending(indexes: readonly number[]): number[] {
  return indexes.filter(index => index >= 0).sort((a, b) => a - b)
}

function findMarker({ units, entries, systems, firstUser }: Transcript): number {
  const isMarker = (index: number) =>
    index > firstUser && entries[units[index]!.from]!.message.text === markerText
  return systems.find(isMarker) ?? -1
}

/** Notes that are not sent with their replies, gathered: the newest that fit their budget, in order. */
export interface NotesSection {
  readonly text: string
  readonly moved: readonly number[]
}

/** `isGathered` says whether a unit's notes belong in the section. The oldest notes are left out first. */
export function notesSection(
  {
    transcript,
    count,
    noteBudget,
    noteCount,
  }: Pick<Frame, 'transcript' | 'count' | 'noteBudget' | 'noteCount'>,
  isGathered: (unit: number) => boolean,
): NotesSection {
  const { notes, entries } = transcript
  const moved: number[] = []
  const lines: string[] = []
  let tokens = count.text(notesTitle)
  for (let index = notes.length - 1; index >= 0 && moved.length < noteCount; index--) {
    const { at, unit } = notes[index]!
    if (!isGathered(unit)) continue
    const line = entries[at]!.message.text.replace(/\s+/g, ' ').trim()
    const cost = count.text(`\n${line}`) + 1
    if (tokens + cost > noteBudget) break
    tokens += cost
    lines.push(line)
    moved.push(at)
  }
  const text = lines.length > 0 ? [notesTitle, ...lines.reverse()].join('\n') : ''
  return { text, moved: moved.reverse() }
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
  /** Why the message was added; absent for a message of the input. */
  readonly added?: string
  /** Pieces that were joined into this one. */
  readonly carries?: readonly Piece[]
  /** A digest that wants an answer where roles must alternate. */
  readonly answered?: boolean
}

/** A message of the input as it is sent. */
export function entryPiece({ raw, message, tokens, altered }: Entry, part: Part, seq: number): Piece {
  return { raw, message, tokens, part, seqs: [seq], ...(altered && { altered }) }
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
