import { acknowledgement, markerText } from '../../log/texts.ts'
import { costBetween } from '../conversation/sums.ts'
import type { Frame } from './frame.ts'
import type { Insertion } from './insertion.ts'
import { type NotesSection, notesSection } from './notes-section.ts'
import type { Piece } from './piece.ts'
import { findSpan, type Span } from './span.ts'

/** Whether a unit is protected by its place: the first user message, system messages, the protected end. */
export const isFixed = ({ fixed }: Frame, index: number): boolean => fixed.has(index)

/** Whether an ordinary message is left out and no digest stands for it: then the marker must say so. */
export function needsMarker(frame: Frame, spans: readonly Span[]): boolean {
  const { ordinaryBefore } = frame.transcript
  return spans.some(({ fate, from, to }) => {
    if (fate !== 'elided') return false
    const protectedInside = frame.ends.filter(
      end => end >= from && end < to && ordinaryBefore[end + 1]! > ordinaryBefore[end]!,
    )
    return ordinaryBefore[to]! - ordinaryBefore[from]! > protectedInside.length
  })
}

/** The notes section, if notes are sent inline: the notes of replies that are left out. */
export function gatherNotes(frame: Frame, spans: readonly Span[]): NotesSection | undefined {
  if (frame.notes !== 'inline' || frame.transcript.notes.length === 0) return undefined
  const { transcript, count, noteBudget } = frame
  return notesSection(transcript, count, noteBudget, unit => {
    if (transcript.units[unit]!.kind === 'note') return true
    return !isFixed(frame, unit) && findSpan(spans, unit) !== undefined
  })
}

/** The cost of the unprotected units in a stretch. */
function ordinaryCost({ transcript, ends, notes }: Frame, from: number, to: number): number {
  const between = (first: number, end: number) => costBetween(transcript, first, end, notes === 'inline')
  return ends
    .filter(end => end >= from && end < to)
    .reduce((cost, end) => cost - between(end, end + 1), between(from, to))
}

/** The cost of all that is sent whatever a policy does. */
export function fixedCost(frame: Frame): number {
  let tokens = totalTokens(frame, frame.head)
  for (const index of frame.fixed) tokens += unitCost(frame, index)
  return tokens
}

/** The tokens of the pieces, the tools and the prompt's own framing. */
export function totalTokens(frame: Frame, pieces: readonly Piece[]): number {
  let tokens = frame.toolTokens + frame.count.prompt
  for (const piece of pieces) tokens += piece.tokens
  return tokens
}

export function unitCost({ transcript, notes }: Frame, index: number): number {
  const unit = transcript.units[index]!
  return unit.tokens + (notes === 'inline' ? unit.noteTokens : 0)
}

export function textCost(frame: Frame, role: 'system' | 'user' | 'assistant', text: string): number {
  const known = knownCosts.get(frame.count.id) ?? new Map<string, number>()
  knownCosts.set(frame.count.id, known)
  const key = role + text
  const cost = known.get(key) ?? frame.count.message({ ...plain, role, text })
  if (known.size >= maxKnown) known.clear()
  known.set(key, cost)
  return cost
}

export function markerCost(frame: Frame): number {
  return frame.marker >= 0 ? 0 : textCost(frame, 'system', markerText)
}

/** Costs of markers and digests, which come again in every context. */
const knownCosts = new Map<string, Map<string, number>>()
const maxKnown = 2_000

const plain = { dialect: 'ollama', thinking: '', calls: [], results: [], media: 0, unknown: '' } as const

export function draftCost(frame: Frame, spans: readonly Span[], insertions: readonly Insertion[]): number {
  let tokens = fixedCost(frame) + ordinaryCost(frame, 0, frame.transcript.units.length)
  for (const { from, to } of spans) tokens -= ordinaryCost(frame, from, to)
  for (const insertion of insertions) tokens += insertionCost(frame, insertion)
  if (needsMarker(frame, spans)) tokens += markerCost(frame)
  const notes = gatherNotes(frame, spans)
  return notes?.text ? tokens + textCost(frame, 'system', notes.text) : tokens
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
