import { hashText } from '../../log/hash-text.ts'
import { textMessage } from '../../log/message.ts'
import { withTail } from '../../log/write-message.ts'
import { type Conversation, firstSeq } from '../conversation/conversation.ts'
import { rangeAt } from '../conversation/first-place.ts'
import type { Entry } from '../conversation/stamp-entry.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { splitPrompt } from '../prompt/split-prompt.ts'
import { keepsPrompt, type SettledOptions, withoutLateSystem } from './frame-options.ts'
import type { NotesSection } from './notes-section.ts'
import { entryPiece, type Piece, rewritten } from './piece.ts'

/** The changing lines of the system prompt, as a message before a unit. */
export type Changing = NonNullable<ReturnType<typeof takeChanging>>

/**
 * Takes the changing lines out of the system prompt. They stand before the newest user message. Where they move only when something
 * must be cut and all is sent (`isWhole`), the prompt is sent as it came, and only what it shows is learned.
 */
export function takeChanging(
  { system, transcript, origin }: Conversation,
  { promptLayout: earlier = {}, shape, systemPrompt, count }: SettledOptions,
  isWhole = false,
) {
  const place = shape === 'alternating' ? withoutLateSystem(systemPrompt) : systemPrompt
  if (!keepsPrompt(place) || transcript.units.length === 0) return undefined
  const role = place === 'as user' ? ('user' as const) : ('system' as const)
  const raws = system.filter(isSent).map(({ raw }) => raw)
  const split = splitPrompt(raws, earlier, origin + transcript.entries.length, place === 'when cut')
  const { heads } = split
  const isAsSent = isWhole && place === 'when cut'
  const text = isAsSent ? '' : split.text
  const tokens = text === '' ? 0 : count.message(textMessage(role, text))
  // A cut keeps this room for the message, so that it does not move with every line.
  const room = Math.max(earlier.room ?? 0, Math.ceil(tokens / roomStep) * roomStep)
  if (isAsSent) {
    const untouched = { messages: raws, text, lines: [], given: undefined }
    return { ...split, ...untouched, role, tokens, unit: 0, layout: { heads, room } }
  }
  if (text === '') return { ...split, role, tokens, unit: 0, layout: { heads, room } }
  const hash = hashText(text)
  const before = earlier.last?.hash === hash ? earlier.last.before - origin : -1
  const unit = placeChanging(transcript, before)
  const last = { hash, before: origin + transcript.units[unit]!.from }
  return { ...split, role, tokens, unit, layout: { heads, room, last } }
}

const roomStep = 64

/** Where the changing lines stand: before the entry `before` if they stood there, else before the newest user message or round. */
function placeChanging({ units, stops, latestUser }: Transcript, before: number): number {
  const user = Math.max(0, latestUser)
  const stood = before < 0 ? -1 : rangeAt(units, before)
  if (stood >= user && stood < units.length) return stood
  const isBegun = before < 0 && (stops.at(-1) ?? 0) > user
  return isBegun ? stops.at(-1)! : user
}

const isSent = ({ left }: Entry) => left === undefined

/** The system prompt as it will be sent. Pins and notes stand at its end, so that the text before them stays the same. */
export function headPieces(
  conversation: Conversation,
  { pins, count }: SettledOptions,
  changing: Changing | undefined,
  notes: NotesSection | undefined,
): readonly Piece[] {
  const why = 'pinned facts and notes travel in the system prompt'
  const first = firstSeq(conversation)
  const places = conversation.system.map((entry, place) => ({ entry, seq: first + place }))
  const pieces = places
    .filter(({ entry }) => isSent(entry))
    .map(({ entry, seq }, place) => {
      const piece = entryPiece(entry, 'system', seq)
      const raw = changing?.messages[place] ?? entry.raw
      return raw === entry.raw
        ? piece
        : rewritten({ count }, { ...piece, altered: withoutChanging }, raw)
    })
  const added = (piece: Pick<Piece, 'part' | 'seqs' | 'notes' | 'carries'>, text: string) =>
    rewritten({ count }, { ...piece, added: why }, { role: 'system', content: text })
  const section = notes?.text
    ? added({ part: 'notes', seqs: [], notes: notes.moved }, notes.text)
    : undefined
  const text = [...pins, ...(notes?.text ? [notes.text] : [])].join('\n\n')
  if (text === '') return pieces
  const last = pieces.pop()
  const piece = { part: 'system' as const, seqs: last?.seqs ?? [], carries: section && [section] }
  if (!last) return [added(piece, text)]
  const altered = { rule: 'pins', why }
  return [...pieces, rewritten({ count }, { ...piece, altered }, withTail(last.raw, text))]
}

const withoutChanging = {
  rule: 'system prompt',
  why: 'its changing lines stand just before the newest message',
}
