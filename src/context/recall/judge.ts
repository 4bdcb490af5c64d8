import type { Transcript } from '../conversation/transcript.ts'
import { type Effort, isQuestion, slope, strength, viewTokens } from './effort.ts'
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

interface Question {
  readonly transcript: Transcript
  readonly index: RecallIndex
  readonly effort: Effort
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
  const { transcript, index, user } = question
  const text = withoutLabel(transcript.entries[transcript.units[user]!.from]!.message.text)
  const whole = rank(index, text, user)
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
  const strongest = open.reduce((most, part) => Math.max(most, part.asked), Number.NEGATIVE_INFINITY)
  const asked = Math.max(judged.asked, Math.min(strongest, 1 + partShare / slope))
  return { ...judged, best: bestBefore(question, scores), asked }
}

function weigh(question: Question, { scores, whole }: Ranking, isAsking: boolean) {
  const best = bestBefore(question, scores)
  return {
    scores,
    best,
    asked: strength(best, bestInView(question, scores), whole, isAsking, question.effort),
  }
}

/** The best score of a unit that was cut and is not sent anyway. */
function bestBefore({ transcript, user, cut }: Question, scores: Float64Array): number {
  const { firstUser } = transcript
  const end = Math.min(cut, user)
  let best = 0
  for (let unit = 0; unit < end; unit++) if (scores[unit]! > best && unit !== firstUser) best = scores[unit]!
  return best
}

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
