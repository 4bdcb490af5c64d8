import { textMessage } from '../../log/message.ts'
import { acknowledgement } from '../../log/texts.ts'
import {
  type Cleared,
  isCleared,
  savedBetween,
  savingSum,
  systemsShare,
} from '../conversation/clearing.ts'
import { placeOf } from '../conversation/first-place.ts'
import { findReferred } from '../conversation/references.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { costBetween } from '../conversation/transcript.ts'
import { type Part, parts } from '../receipt.ts'
import type { Draft } from './draft.ts'
import type { Frame } from './frame.ts'
import { type NotesSection, notesSection } from './notes-section.ts'
import type { Piece } from './piece.ts'
import { findSpan, type Insertion, type Span, type UnitRange } from './span.ts'

/** Whether an ordinary message is left out and no digest stands for it: then the marker must say so. */
export function needsMarker(frame: Frame, spans: readonly Span[]): boolean {
  const { ordinaryBefore } = frame.transcript
  const ordinary = (from: number, to: number) => ordinaryBefore[to]! - ordinaryBefore[from]!
  return spans.some(span => span.fate === 'omitted' && withoutFixed(frame, span, ordinary) > 0)
}

/** The notes section, if notes are sent inline: the notes of replies that are left out. */
export function gatherNotes(frame: Frame, spans: readonly Span[]): NotesSection | undefined {
  if (frame.notes !== 'inline' || frame.transcript.notes.length === 0) return undefined
  const { transcript } = frame
  return notesSection(frame, unit => {
    if (transcript.units[unit]!.kind === 'note') return true
    return !frame.fixed.has(unit) && findSpan(spans, unit) !== undefined
  })
}

/** The entries of the notes that are gathered, wherever their section stands. */
export function movedNotes(frame: Frame, spans: readonly Span[]): readonly number[] {
  return (gatherNotes(frame, spans) ?? frame.headNotes)?.moved ?? []
}

/** The cost of the unprotected units in a range. */
function ordinaryCost(frame: Frame, cleared: Cleared, range: UnitRange): number {
  const { transcript, notes } = frame
  const cost = (from: number, to: number) =>
    costBetween(transcript, from, to, notes === 'inline') -
    savedBetween(transcript, cleared, from, to)
  return withoutFixed(frame, range, cost)
}

/** A sum over a range of units, less that of the protected ones in it. */
function withoutFixed(
  frame: Frame,
  range: UnitRange,
  sum: (from: number, to: number) => number,
): number {
  const inside = fixedIn(frame, range)
  return inside.reduce((rest, unit) => rest - sum(unit, unit + 1), sum(range.from, range.to))
}

/** The protected units in a range, oldest first. */
export function fixedIn({ fixedList }: Frame, { from, to }: UnitRange): readonly number[] {
  return fixedList.slice(placeOf(fixedList, from), placeOf(fixedList, to))
}

/** The cost of all that is sent whatever a policy does. */
export function fixedCost(frame: Frame): number {
  let tokens = totalTokens(frame, frame.head) + (frame.changing?.tokens ?? 0)
  for (const index of frame.fixed) tokens += unitCost(frame, index)
  return tokens
}

/** The tokens that system prompt and tools leave, when these are rounded up to a multiple of a step. */
export function roomBeside(
  { capacity, count, head, toolTokens, changing }: Frame,
  step: number,
): number {
  const tokens = head.reduce(
    (sum, piece) => sum + piece.tokens,
    toolTokens + (changing?.layout.room ?? 0),
  )
  return Math.max(0, capacity - count.prompt - Math.ceil(tokens / step) * step)
}

/** The room that all shares refer to: small changes of system prompt and tools do not change it. */
export function baseRoom(frame: Frame): number {
  const { window } = frame
  return roomBeside(
    frame,
    Math.max(Math.ceil(window / 64), Math.min(smallestStep, Math.ceil(window / 16))),
  )
}

/** System prompt and tools are rounded up by at least this in all but the smallest windows: a date has about ten tokens. */
const smallestStep = 64

/** The most tokens of system messages that stand in the conversation. */
export const systemsRoom = (frame: Frame): number => Math.floor(baseRoom(frame) * systemsShare)

/** The tokens of the pieces, the tools and the prompt's own framing. */
export function totalTokens(frame: Frame, pieces: readonly Piece[]): number {
  let tokens = frame.toolTokens + frame.count.prompt
  for (const piece of pieces) tokens += piece.tokens
  return tokens
}

/** What a unit costs as it is sent. */
export function unitCost({ transcript, notes, exchange }: Frame, index: number): number {
  const unit = transcript.units[index]!
  return (exchange.get(index)?.tokens ?? unit.tokens) + (notes === 'inline' ? unit.noteTokens : 0)
}

/** Costs of markers, digests and quotes, which come again in every context, by counter, role and text. They go with their conversation. */
const knownCosts = new WeakMap<Transcript, Map<string, number>>()
const maxKnown = 200

export function textCost(
  frame: Frame,
  role: 'system' | 'user' | 'assistant',
  text: string,
): number {
  const costs = knownCosts.get(frame.transcript) ?? new Map<string, number>()
  knownCosts.set(frame.transcript, costs)
  const key = [frame.count.id, role, text].join('\0')
  const cost = costs.get(key) ?? frame.count.message(textMessage(role, text))
  if (costs.size >= maxKnown) costs.clear()
  costs.set(key, cost)
  return cost
}

export const markerCost = (frame: Frame): number =>
  frame.markerUnit >= 0 ? 0 : textCost(frame, 'system', frame.marker)

/** The most that the notes of replies that are left out may cost. */
export const noteCharge = ({ notes, noteBudget, transcript }: Frame): number =>
  notes === 'inline' && transcript.notes.length > 0 ? noteBudget : 0

export function draftCost(decided: Decided & Pick<Draft, 'insertions'>): number {
  const { frame, spans, insertions, cleared } = decided
  let tokens =
    fixedCost(frame) + ordinaryCost(frame, cleared, { from: 0, to: frame.transcript.units.length })
  for (const span of spans) tokens -= ordinaryCost(frame, cleared, span)
  tokens += savingSum(frame.transcript, referredBy(decided).values())
  for (const insertion of insertions) tokens += insertionCost(frame, insertion)
  if (needsMarker(frame, spans)) tokens += markerCost(frame)
  const notes = gatherNotes(frame, spans)
  return notes?.text ? tokens + textCost(frame, 'system', notes.text) : tokens
}

type Decided = Pick<Draft, 'frame' | 'spans' | 'cleared'>

/** The units that are sent with the result of an earlier one, to which they refer and which is not sent whole; and that unit. */
export function referredBy({ frame, spans, cleared }: Decided): ReadonlyMap<number, number> {
  const { transcript, fixed } = frame
  if (transcript.references.length === 0) return new Map()
  const isLeftOut = (unit: number) =>
    !fixed.has(unit) && !['recalled', undefined].includes(findSpan(spans, unit)?.fate)
  const isGone = (unit: number) =>
    isLeftOut(unit) || (!fixed.has(unit) && isCleared(transcript, cleared, unit))
  const references = findReferred(transcript, cleared.before, transcript.units.length, isGone)
  return new Map([...references].filter(([unit]) => fixed.has(unit) || !findSpan(spans, unit)))
}

/** The cost of a digest, with its answer where roles alternate. */
export function digestCost(frame: Frame, line: string): number {
  const cost = textCost(frame, 'user', line)
  return frame.shape === 'alternating' ? cost + textCost(frame, 'assistant', acknowledgement) : cost
}

export function insertionCost(frame: Frame, { role, text, tokens, answered }: Insertion): number {
  if (tokens !== undefined) return tokens
  return answered ? digestCost(frame, text) : textCost(frame, role, text)
}

/** A sum of 0 for each name. */
export const zeros = <Name extends string>(names: readonly Name[]): Record<Name, number> =>
  Object.fromEntries(names.map(name => [name, 0])) as Record<Name, number>

/** `totalTokens` part by part. In a joined piece each part counts as if alone, and the piece keeps the rest. */
export function tokensByPart(frame: Frame, pieces: readonly Piece[]): Record<Part, number> {
  const sums = zeros(parts)
  sums.tools = frame.toolTokens
  sums.framing = frame.count.prompt
  for (const piece of pieces) {
    let rest = piece.tokens
    for (const { part, tokens } of piece.carries ?? []) {
      const share = Math.min(rest, tokens)
      sums[part] += share
      rest -= share
    }
    sums[piece.part] += rest
  }
  return sums
}
