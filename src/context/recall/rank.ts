import * as ranking from './ranking.ts'
import type { Postings, RecallIndex, Visit } from './recall-index.ts'
import { termsOf, withoutLabel } from './terms.ts'

/** How well each earlier entry answers a message. */
export interface Ranking {
  /** An integer for each entry before the message. */
  readonly scores: Float64Array
  /** The score of an imagined entry of average length that has all words of the message. */
  readonly whole: number
  readonly asked: readonly Asked[]
  /** How many different terms the message has, known or not. */
  readonly terms: number
}

interface Asked {
  readonly id: number
  readonly weight: number
}

/** Ranks the entries before `n` for a text, as if the index ended there. */
export function rank(
  index: RecallIndex,
  text: string,
  n: number = index.size,
  postings: number = ranking.postings,
  relatedPostings: number = ranking.relatedPostings,
): Ranking {
  const question = readQuestion(index, text, n)
  const scores = matchScores(index, question.asked, n, postings)
  const ofSession = sessionScores(index, scores, n)
  if (ofSession.length > 1) {
    const related = feedback(index, ofSession, n)
    sessionScores(index, matchScores(index, related, n, relatedPostings), n).forEach((score, session) => {
      ofSession[session]! += ranking.feedback * score
    })
  }
  combine(index, scores, ofSession)
  return { scores, ...question }
}

function readQuestion(index: RecallIndex, text: string, n: number) {
  const asked: Asked[] = []
  let mass = 0
  const terms = new Set(termsOf(withoutLabel(text)))
  for (const term of terms) {
    const id = index.vocabulary.get(term) ?? -1
    const frequency = index.frequency(id, n)
    if (frequency > 0) asked.push({ id, weight: 1 })
    mass += rarity(frequency, n)
  }
  const meanTokens = index.tokenSums[n - 1]! / n || 1
  const whole = Math.round((mass * ranking.unit) / Math.max(1, meanTokens) ** ranking.length)
  return { asked, whole, terms: terms.size }
}

/**
 * BM25 of every entry before n. At most `limit` postings are read: those of the rarest terms first, as what most entries have
 * tells least. A term that has more than are left is read in its newest entries, one after it not at all.
 */
function matchScores(index: RecallIndex, asked: readonly Asked[], n: number, limit: number): Float64Array {
  const scores = new Float64Array(n)
  const meanLength = index.lengthSums[n - 1]! / n || 1
  const slope = (ranking.saturation * ranking.lengthShare) / meanLength
  const terms = asked.map(one => ({ ...one, frequency: index.frequency(one.id, n) }))
  let left = limit
  for (const { id, weight, frequency } of terms.sort((a, b) => a.frequency - b.frequency || a.id - b.id)) {
    const full = weight * (ranking.saturation + 1) * rarity(frequency, n)
    const add: Visit = (postings, from, to) =>
      addMatches(scores, index.lengths, postings, from, to, full, slope)
    index.visit(id, 0, n, add, left)
    left = Math.max(0, left - frequency)
  }
  return scores
}

/** A function of its own, with all that it reads as its own: the loop takes two thirds of the time. */
function addMatches(
  scores: Float64Array,
  lengths: readonly number[],
  { places, counts }: Postings,
  from: number,
  to: number,
  full: number,
  slope: number,
): void {
  const base = ranking.saturation * (1 - ranking.lengthShare)
  for (let at = from; at < to; at++) {
    const entry = places[at]!
    const count = counts[at]!
    scores[entry]! += (full * count) / (count + base + slope * lengths[entry]!)
  }
}

/** The mean of the three best entries of each session. */
function sessionScores(index: RecallIndex, scores: Float64Array, n: number): Float64Array {
  const result = new Float64Array(index.sessions[n - 1]! + 1 || 0)
  for (let session = 0; session < result.length; session++) {
    const end = sessionEnd(index, session, n)
    let best = 0
    let second = 0
    let third = 0
    for (let entry = index.starts[session]!; entry < end; entry++) {
      const score = scores[entry]!
      if (score <= third) continue
      if (score > best) [best, second, third] = [score, best, second]
      else if (score > second) [second, third] = [score, second]
      else third = score
    }
    result[session] = (best + second + third) / 3
  }
  return result
}

/** Terms that recur in the best sessions, the most telling first. */
function feedback(index: RecallIndex, ofSession: Float64Array, n: number): readonly Asked[] {
  const best: { readonly session: number; readonly score: number }[] = []
  for (let session = 0; session < ofSession.length; session++) {
    const score = Math.round(ofSession[session]! * ranking.unit)
    if (score <= (best[ranking.feedbackSessions - 1]?.score ?? 0)) continue
    best.push({ session, score })
    // Few at a time, not all sessions at once; the sort keeps those of one score in their order.
    best.sort((a, b) => b.score - a.score).splice(ranking.feedbackSessions)
  }
  const weights = new Map<number, number>()
  for (const { session } of best) {
    const start = index.starts[session]!
    const end = sessionEnd(index, session, n)
    if (end - start > ranking.feedbackSize) continue
    const seen = new Map<number, number>()
    for (let entry = start; entry < end; entry++) {
      for (const id of index.termsAt(entry)) seen.set(id, (seen.get(id) ?? 0) + 1)
    }
    for (const [id, count] of seen) {
      const frequency = count < 2 ? n : index.frequency(id, n)
      if (frequency > n * ranking.feedbackRarity) continue
      const weight = ofSession[session]! * Math.log(1 + count) * Math.log(n / frequency)
      weights.set(id, (weights.get(id) ?? 0) + weight)
    }
  }
  const list = [...weights]
    .map(([id, weight]) => ({ id, weight: Math.round(weight * ranking.unit) }))
    .sort((a, b) => b.weight - a.weight || a.id - b.id)
    .slice(0, ranking.feedbackTerms)
  const most = list[0]?.weight ?? 1
  return list.map(({ id, weight }) => ({ id, weight: weight / most }))
}

/** `Math.round` in half the time: with 0.5 itself, the number just below 0.5 would become 1. */
const half = 0.5 - 2 ** -54

/**
 * Turns what each entry matches into its score: its own match, its neighbours, its session, its age, and the part that no
 * question changes. In place: nobody needs the matches afterwards, and a list of the conversation's length costs time.
 */
function combine(index: RecallIndex, scores: Float64Array, ofSession: Float64Array): void {
  const { priors } = index
  for (let session = 0; session < ofSession.length; session++) {
    const score = ofSession[session]!
    // No entry of it has any of the words: all stay at 0.
    if (score === 0) continue
    const start = index.starts[session]!
    const end = sessionEnd(index, session, scores.length)
    const age = (session + 1 - ofSession.length) / ranking.recencySessions
    const recent = (1 + ranking.recency * Math.exp(age)) * ranking.unit
    const base = ranking.session * score
    let opener = ranking.opener * Math.min(1, ranking.openerSize / (end - start)) * score
    let beforeLast = 0
    let last = 0
    let own = scores[start]!
    let next = start + 1 < end ? scores[start + 1]! : 0
    for (let entry = start; entry < end; entry++) {
      const afterNext = entry + 2 < end ? scores[entry + 2]! : 0
      const beside = Math.max(last, next)
      const beyond = Math.max(beforeLast, afterNext)
      const sum = own + ranking.beside * beside + ranking.beyond * beyond + base + opener
      scores[entry] = Math.floor(sum * recent * priors[entry]! + half)
      opener = 0
      beforeLast = last
      last = own
      own = next
      next = afterNext
    }
  }
}

function sessionEnd({ starts }: RecallIndex, session: number, n: number): number {
  return Math.min(n, starts[session + 1] ?? n)
}

/** How much a term tells that `frequency` of n entries have. */
function rarity(frequency: number, n: number): number {
  return Math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
}
