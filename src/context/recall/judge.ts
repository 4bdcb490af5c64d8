import type { Transcript } from '../conversation/transcript.ts'
import { askingParts } from './asking-parts.ts'
import { type Effort, isQuestion, slope, strength, viewTokens } from './effort.ts'
import { type Ranking, rank } from './rank.ts'
import type { RecallIndex } from './recall-index.ts'
import { withoutLabel } from './terms.ts'

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
