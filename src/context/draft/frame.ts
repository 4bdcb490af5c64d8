import type { MessageLike } from '../../log/message.ts'
import { markerText, notesTitle } from '../../log/texts.ts'
import { type PlainMessage, withTail } from '../../log/write-message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { Conversation } from '../conversation/conversation.ts'
import type { Transcript } from '../conversation/transcript.ts'
import type { Entry } from '../conversation/unit.ts'
import { counterOf, type FrameOptions, type NotesPlace, type Overflow, type Shape } from './frame-options.ts'
import { entryPiece, type Piece, rewritten } from './piece.ts'

/** What is settled before a policy begins: the room, the system prompt, the protected units. */
export interface Frame<M extends MessageLike = MessageLike> {
  readonly window: number
  readonly reserve: number
  readonly margin: number
  readonly capacity: number
  readonly count: Required<TokenCounter>
  readonly shape: Shape
  readonly systemRole: boolean
  readonly overflow: Overflow
  readonly notes: NotesPlace
  readonly noteBudget: number
  readonly nonce: string | undefined
  readonly system: readonly Entry<M>[]
  readonly transcript: Transcript<M>
  /** The system prompt as it will be sent, pins and notes included. */
  readonly head: readonly Piece<M>[]
  readonly headNotes: NotesSection | undefined
  readonly toolTokens: number
  /** The protected end: the latest user message, the last round, the last unit. */
  readonly ends: readonly number[]
  /** Every unit that is protected by its place, in order: the first user message, system messages, the protected end. */
  readonly fixed: ReadonlySet<number>
  /** The unit after the first user message if it already is a marker, or -1. */
  readonly marker: number
}

export function createFrame<M extends MessageLike>(
  { system, transcript }: Conversation<M>,
  options: FrameOptions,
): Frame<M> {
  const { window, reserve = 0, tools = [], pins = [] } = options
  const count = counterOf(options)
  const { notes = 'inline', shape = 'free', systemRole = true, overflow = 'error' } = options
  const margin = count.exact ? 0 : Math.ceil((window - reserve) * 0.05)
  const { noteBudget = Math.floor(window / 16), nonce } = options
  const headNotes = notes === 'system' ? notesSection(transcript, count, noteBudget, () => true) : undefined
  const added = [...pins, ...(headNotes?.text ? [headNotes.text] : [])].join('\n\n')
  const ends = protectedEnd(transcript)
  return {
    window,
    reserve,
    margin,
    capacity: window - reserve - margin,
    count,
    shape,
    systemRole,
    overflow,
    notes,
    noteBudget,
    nonce,
    system,
    transcript,
    head: headPieces(system, added, count),
    headNotes,
    toolTokens: tools.length > 0 ? count.tools(tools) : 0,
    ends,
    fixed: new Set(ascending([...transcript.systems, transcript.firstUser, ...ends])),
    marker: findMarker(transcript),
  }
}

/** Pins and notes stand at the end of the last system message, so that the text before them stays the same. */
function headPieces<M extends MessageLike>(
  system: readonly Entry<M>[],
  added: string,
  count: TokenCounter,
): readonly Piece<M>[] {
  const pieces = system.map((entry, seq) => entryPiece(entry, 'system', seq))
  if (added === '') return pieces
  const last = pieces.pop()
  const plain: PlainMessage = { role: 'system', content: added }
  const altered = { rule: 'pins', why: 'pinned facts and notes travel in the system prompt' }
  const piece = { part: 'system', seqs: last?.seqs ?? [], altered } as const
  return [...pieces, rewritten({ count }, piece, last ? withTail(last.raw, added) : plain)]
}

/**
 * The latest user message, the last tool round after it, and the last message. Earlier rounds of a long open turn are
 * not protected: an agent with one user message and sixty rounds must go on working.
 */
function protectedEnd({ units, latestUser, lastRound }: Transcript): readonly number[] {
  const last = units.findLastIndex(({ kind }) => kind !== 'note' && kind !== 'stray')
  return ascending([...new Set([latestUser, Math.max(latestUser, lastRound), last])])
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
  { notes, entries }: Transcript,
  count: TokenCounter,
  budget: number,
  isGathered: (unit: number) => boolean,
): NotesSection {
  const moved: number[] = []
  const lines: string[] = []
  let tokens = count.text(notesTitle)
  for (let index = notes.length - 1; index >= 0; index--) {
    const { at, unit } = notes[index]!
    if (!isGathered(unit)) continue
    const line = entries[at]!.message.text.replace(/\s+/g, ' ').trim()
    const cost = count.text(`\n${line}`) + 1
    if (tokens + cost > budget) break
    tokens += cost
    lines.push(line)
    moved.push(at)
  }
  const text = lines.length > 0 ? [notesTitle, ...lines.reverse()].join('\n') : ''
  return { text, moved: moved.reverse() }
}
