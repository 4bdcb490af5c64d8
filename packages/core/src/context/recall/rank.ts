import type { Scores } from '../conversation/transcript.ts'
import { entryOf, rarity, shapeOf, shapeScores } from './posting.ts'
import * as ranking from './ranking.ts'
import { penaltyOf, type RankedIndex } from './recall-index.ts'
import { talkWords } from './talk-words.ts'
import { termsOf } from './terms.ts'

/** How well earlier entries answer a text. */
export interface Ranking {
  /** The entries of the sessions that were looked into. */
  readonly scores: Scores
  /** The score of an imagined entry of average length that has all words of the text. */
  readonly whole: number
  /** The terms of the text that were said before. */
  readonly terms: readonly QueryTerm[]
}

/** A term's number and its weight. */
type QueryTerm = readonly [id: number, weight: number]

/** What entries have of the terms that are asked for: a number by entry, and a bit for those that have any. */
interface Matches {
  readonly scores: Float32Array
  readonly hasMatch: Int32Array
}

/** What a text finds in the entries and in the sessions, and the sessions that match best, the best first. */
interface Finding extends Omit<Ranking, 'scores'> {
  readonly matches: Matches
  readonly ofSession: Float64Array
  readonly best: readonly number[]
}

/** Ranks the entries before `n` for a text and its parts, all on the same: the newest, and those of the best sessions of each. */
export function rank(
  index: RankedIndex,
  text: string,
  { n = index.size, parts = [] as readonly string[], limits = ranking.limits } = {},
) {
  const ofText = find(text, 1)
  const others = parts.map((part, at) => find(part, at + 2))
  const few = others.flatMap(({ best }) => takeSessions(best, limits.newest))
  const chosen = new Set(ofText.best.concat(few))
  const inView = Math.max(0, n - limits.newest)
  for (let at = index.sessions[inView] ?? 0; at < ofText.ofSession.length; at++) chosen.add(at)
  const units: number[] = []
  for (const session of chosen)
    for (let unit = index.starts[session]!; unit < sessionEnd(session); unit++) units.push(unit)
  const toRanking = (finding: Finding): Ranking => {
    const related = findMatches(feedback(finding), limits.related, 0)
    const values = combine(finding, related)
    const { whole, terms } = finding
    return { scores: { units, values }, whole, terms }
  }
  return { ...toRanking(ofText), parts: others.map(toRanking) }

  /** Its matches are in one of the lists, and valid until the list is used again. */
  function find(text: string, list: number): Finding {
    const wanted = Array.from(new Set(termsOf(text)), term => {
      return [index.vocabulary.get(term) ?? -1, talkWords.has(term) ? ranking.talk : 1] as const
    })
    const mass = wanted.reduce(
      (sum, [id, weight]) => sum + weight * rarity(index.frequency(id, n), n),
      0,
    )
    const terms = wanted.filter(([id]) => index.frequency(id, n))
    const whole = Math.round((mass * ranking.unit) / penaltyOf(meanOf(index.tokenSums, n)))
    const matches = findMatches(terms, limits.postings, list)
    const ofSession = new Float64Array(n > 0 ? index.sessions[n - 1]! + 1 : 0)
    for (let at = 0; at < ofSession.length; at++)
      ofSession[at] = meanOfBest(matches, index.starts[at]!, sessionEnd(at))
    const best = takeSessions(bestFirst(ofSession), limits.entries)
    return { matches, ofSession, best, whole, terms }
  }

  /** BM25 of the entries before `n`, in one of the lists. At most `limit` postings: rare terms first, as they tell most. */
  function findMatches(query: readonly QueryTerm[], limit: number, list: number): Matches {
    if (!lists[list] || lists[list].length < n) lists[list] = new Float32Array(2 * n)
    const scores = lists[list].subarray(0, n).fill(0)
    const hasMatch = new Int32Array((n >> 5) + 1)
    const ofShape = shapeScores(meanOf(index.lengthSums, n))
    const terms = query.map(([id, weight]) => [id, weight, index.frequency(id, n)] as const)
    let left = limit
    for (const [id, weight, frequency] of terms.sort((a, b) => a[2] - b[2])) {
      const full = weight * rarity(frequency, n)
      // Most of a ranking's time is spent here.
      for (const part of index.postings(id, { n, most: left }))
        for (let at = 0; at < part.length; at++) {
          const entry = entryOf(part[at]!)
          scores[entry]! += full * ofShape[shapeOf(part[at]!)]!
          hasMatch[entry >> 5]! |= 1 << (entry & 31)
        }
      left -= frequency
    }
    return { scores, hasMatch }
  }

  /** The first sessions of a list, until they have `limit` entries. */
  function takeSessions(list: Iterable<number>, limit: number): number[] {
    const sessions: number[] = []
    let size = 0
    for (const session of list) {
      if (size >= limit) break
      sessions.push(session)
      size += sessionEnd(session) - index.starts[session]!
    }
    return sessions
  }

  /** Terms that recur in the sessions that match best, the most telling first. */
  function feedback({ best, ofSession }: Finding): readonly QueryTerm[] {
    const weights = new Map<number, number>()
    for (const session of best.slice(0, ranking.feedbackSessions)) {
      const start = index.starts[session]!
      const end = sessionEnd(session)
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
    const list = Array.from(weights, ([id, weight]) => [id, Math.round(weight)] as const)
      .sort((a, b) => b[1] - a[1] || a[0] - b[0])
      .slice(0, ranking.feedbackTerms)
    return list.map(([id, weight]) => [id, weight / (list[0]![1] || 1)])
  }

  /** Scores the entries of the chosen sessions: by their own match, their neighbours, their session, their age, and their prior. */
  function combine({ matches: { scores }, ofSession }: Finding, related: Matches): Float64Array {
    const values: number[] = []
    for (const session of chosen) {
      const start = index.starts[session]!
      const end = sessionEnd(session)
      const ofRelated = meanOfBest(related, start, end, ranking.feedback)
      const score = (ofSession[session]! + ofRelated) / ranking.unit
      const age = (session + 1 - ofSession.length) / ranking.recencySessions
      const recent = (1 + ranking.recency * Math.exp(age)) * ranking.unit
      let opener = ranking.opener * Math.min(1, ranking.openerSize / (end - start))
      const row = scores.subarray(start, end)
      for (let at = 0; at < row.length; at++) {
        const beside = Math.max(row[at - 1] ?? 0, row[at + 1] ?? 0)
        const beyond = Math.max(row[at - 2] ?? 0, row[at + 2] ?? 0)
        const sum =
          row[at]! +
          ranking.beside * beside +
          ranking.beyond * beyond +
          (ranking.session + opener) * score
        values.push(Math.round(sum * recent * index.priors[start + at]!))
        opener = 0
      }
    }
    return new Float64Array(values)
  }

  /** The entry after the last one of a session. */
  function sessionEnd(session: number): number {
    return Math.min(n, index.starts[session + 1] ?? n)
  }
}

/** The mean of the first n numbers, of which there are running sums; 1 where it would be 0. */
function meanOf(sums: readonly number[], n: number): number {
  const mean = n > 0 ? sums[n - 1]! / n : 0
  return mean > 0 ? mean : 1
}

/** Used again, as memory of new lists is found page by page. Short numbers, which stay in the processor's cache. */
const lists: Float32Array[] = []

/** The mean of the three best entries of a session, times a weight: an integer, see `unit`. */
function meanOfBest({ scores, hasMatch }: Matches, start: number, end: number, weight = 1): number {
  let best = 0
  let second = 0
  let third = 0
  for (let entry = start; entry < end; entry++) {
    // Most entries have no match: the search goes on at the next bit that is set, or behind the last bit of this number.
    const bits = hasMatch[entry >> 5]! >>> (entry & 31)
    if (bits === 0) {
      entry |= 31
      continue
    }
    entry += 31 - Math.clz32(bits & -bits)
    if (entry >= end) break
    const score = scores[entry]!
    if (score <= third) continue
    if (score <= second) third = score
    else {
      third = second
      second = Math.min(best, score)
      best = Math.max(best, score)
    }
  }
  return Math.round(((weight * ranking.unit) / 3) * (best + second + third))
}

/** Yields the places of scores by falling score, ties by place. A heap: of thousands only a handful is taken. */
export function* bestFirst(scores: Float64Array): Generator<number> {
  const heap = new Int32Array(scores.length)
  for (let at = heap.length - 1; at >= 0; at--) sink(heap, heap.length, at, at, scores)
  for (let size = heap.length - 1; size >= 0; size--) {
    const best = heap[0]!
    sink(heap, size, 0, heap[size]!, scores)
    yield best
  }
}

/** Puts a place into a heap of a size: where another was, or below it. */
function sink(
  heap: Int32Array,
  size: number,
  top: number,
  place: number,
  scores: Float64Array,
): void {
  const lead = (a: number, b: number) => scores[a]! - scores[b]! || b - a
  let at = top
  for (;;) {
    let child = 2 * at + 1
    if (child >= size) break
    if (child + 1 < size && lead(heap[child + 1]!, heap[child]!) > 0) child += 1
    if (lead(heap[child]!, place) < 0) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = place
}
