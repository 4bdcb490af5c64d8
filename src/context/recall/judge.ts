import { InvalidOptionError, showValue } from '../../log/error.ts'
import type { Transcript } from '../conversation/transcript.ts'
import { isQuestion } from './asking.ts'
import { type Ranking, rank } from './rank.ts'
import type { RecallIndex } from './recall-index.ts'
import { isCommon, termsOf, withoutLabel } from './terms.ts'

/** How well the past answers a message. */
export interface Judgement {
  readonly scores: Float64Array
  /** The best score of a unit before the cut. */
  readonly best: number
  /** How strongly the message asks for something old; from 1 on something is recalled. */
  readonly asked: number
  readonly terms: Ranking['asked']
}

/** A user message, its text, and what it is asked of. */
export interface Question {
  readonly transcript: Transcript
  readonly index: RecallIndex
  readonly effort: Effort
  readonly text: string
  readonly user: number
  readonly cut: number
}

/** Messages of more terms are also ranked part by part: no old entry covers all that they say. */
const longMessage = 25

/** How much an asking part adds to the scores, and the share of the room that parts alone can open. */
const partWeight = 0.5
const partShare = 1 / 6

/** Ranks the past for a user message, and compares its best with what is in view. */
export function judge(question: Question): Judgement {
  const { index, user } = question
  const text = withoutLabel(question.text)
  const whole = rank(index, text, user)
  question.transcript.meaning?.add(user, whole)
  const judged = { ...weigh(question, whole, isQuestion(text)), terms: whole.asked }
  if (whole.terms <= longMessage) return judged
  const open = askingParts(text)
    .map(part => weigh(question, rank(index, part, user), true))
    .filter(part => part.asked >= 1)
  if (open.length === 0) return judged
  // The whole message orders the recalled units; asking parts also open the gate, but only a little.
  const { scores } = judged
  for (const part of open) {
    for (let unit = 0; unit < scores.length; unit++)
      scores[unit]! += Math.round(partWeight * part.scores[unit]!)
  }
  const strongest = open.reduce((most, part) => Math.max(most, part.asked), 0)
  const asked = Math.max(judged.asked, Math.min(strongest, 1 + partShare / slope))
  return { ...judged, best: bestBefore(question, scores), asked }
}

/** A message that asks weighs so much more. */
const asking = 2.5

/** An imagined entry in view has this share of the message's words, so that a message about something new asks for nothing. */
const cover = 0.7

function weigh(question: Question, { scores, whole }: Ranking, isAsking: boolean) {
  const best = bestBefore(question, scores)
  const bar = Math.max(1, bestInView(question, scores), Math.round(cover * whole))
  return { scores, best, asked: (best * (isAsking ? asking : 1)) / (question.effort.gate * bar) }
}

/** The best score of a unit that was cut and is not sent anyway. */
function bestBefore({ transcript, user, cut }: Question, scores: Float64Array): number {
  const { firstUser } = transcript
  const end = Math.min(cut, user)
  let best = 0
  for (let unit = 0; unit < end; unit++) if (scores[unit]! > best && unit !== firstUser) best = scores[unit]!
  return best
}

/** Tokens before the newest message that count as in view. Not a share of the window: a long view would never recall. */
const viewTokens = 1500

/** The best score at the end of the tail, which the model sees anyway. */
function bestInView({ transcript, user, cut }: Question, scores: Float64Array): number {
  let best = 0
  let tokens = 0
  for (let unit = user - 1; unit >= cut; unit--) {
    tokens += transcript.units[unit]!.tokens
    if (tokens > viewTokens) break
    best = Math.max(best, scores[unit]!)
  }
  return best
}

/** A part with fewer different terms is joined to its neighbour, as it would match anything. */
const fewestTerms = 3

/** The most parts: each is ranked by itself, and more would cost more than they bring. */
const mostParts = 3

/** The sentences and clauses of a message that ask for something, where it has several parts. */
export function askingParts(text: string): readonly string[] {
  const parts: string[] = []
  let held = ''
  let terms = new Set<string>()
  for (const piece of text.replace(ends, '$1$2\n').split('\n')) {
    if (piece.trim() === '') continue
    held = held ? `${held} ${piece}` : piece
    for (const term of termsOf(piece)) terms.add(term)
    if (terms.size < fewestTerms) continue
    parts.push(held)
    held = ''
    terms = new Set()
  }
  if (held && parts.length > 0) parts[parts.length - 1] += ` ${held}`
  if (parts.length < 2) return []
  const asking = parts.filter(isQuestion)
  if (asking.length <= mostParts) return asking
  const telling = asking.map(part => new Set(termsOf(part).filter(term => !isCommon(term))).size)
  const order = [...asking.keys()].sort((a, b) => telling[b]! - telling[a]! || a - b)
  return order.slice(0, mostParts).map(at => asking[at]!)
}

/** The end of a sentence or a clause: a mark with its closing quotes before a blank, or a Chinese mark. Never backtracks. */
const ends = /([.?!;:…]["'”’)\]*_]*)\s+|([。！？；：])/gu

/** How much is recalled, and at what cost. */
export interface Effort {
  /** How much better than the best entry in view the best old entry must be before anything is recalled. */
  readonly gate: number
  /** Share of the room that is kept for blocks. */
  readonly room: number
  /** The largest block, as a share of the room. */
  readonly block: number
  /** The last exchange survives a cut if it takes at most this share. */
  readonly keep: number
}

/** Turns effort, 0 to 1, into shares: it moves the gate by powers, and above 0.5 gives more of the window to blocks. */
export function toEffort(effort: number): Effort {
  if (!(effort >= 0 && effort <= 1)) {
    throw new InvalidOptionError('effort', `expected a number from 0 to 1, got ${showValue(effort)}`)
  }
  const above = Math.max(0, 2 * effort - 1)
  return {
    // Rounded, as powers may differ in their last bit between engines.
    gate: Math.round(1.55 * 8 ** (1 - 2 * effort) * 1024) / 1024,
    room: 0.25 + 0.6 * above,
    block: 0.5 + 0.5 * above,
    keep: 0.5 - 0.15 * above,
  }
}

/** Share of the room that a block gets for each multiple of the gate above the first. */
export const slope = 1 / 10
