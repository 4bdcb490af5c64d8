import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packIndex, unpackIndex } from './pack-index.ts'
import { rank } from './rank.ts'
import * as ranking from './ranking.ts'
import { createRecallIndex, type RecallDocument, type RecallIndex } from './recall-index.ts'
import { termsOf } from './terms.ts'

const runs = process.env.THROUGHLINE_LONG ? 5000 : 300

/** Few words, so that scores tie; some that count half, some that are left out, some that are never said. */
const word = fc.constantFrom(
  ...'heron jetty hull sail green paint mast rope pilot berth tide think today time the of 喜欢 黑猫'.split(
    ' ',
  ),
)
const text = fc.oneof(
  fc.constant(''),
  fc.constant('always green paint'),
  fc.array(word, { maxLength: 12 }).map(words => words.join(' ')),
  // The same text again and again: ties of entries and of sessions.
  fc.constantFrom('heron jetty', 'the hull', 'sail sail sail mast'),
)
const document: fc.Arbitrary<RecallDocument> = fc.record({
  text,
  isUser: fc.boolean(),
  isRecallable: fc.nat(9).map(die => die > 0),
  tokens: fc.oneof(fc.constant(0), fc.nat(40), fc.nat(5000)),
  beginsSession: fc.constant(false),
})
/** Sessions of one entry to more than feedback reads; one session is what a conversation without times has. */
const session = fc.oneof(
  fc.array(document, { minLength: 1, maxLength: 4 }),
  fc.array(document, { minLength: 1, maxLength: 12 }),
  fc.array(document, { minLength: ranking.feedbackSize - 1, maxLength: ranking.feedbackSize + 2 }),
)
/** Alike sessions, each with a rare word of its own: their scores tie, and which of them are the best decides what is related. */
const alike = fc.array(document, { minLength: 2, maxLength: 2 }).chain(([one, other]) =>
  fc.array(fc.nat(9), { minLength: 6, maxLength: 16 }).map(rare =>
    rare.map(mark => [
      { ...one!, text: 'heron jetty' },
      { ...other!, text: `quay${mark}` },
      { ...other!, text: `quay${mark}` },
    ]),
  ),
)
const documents = fc
  .array(
    fc.oneof(
      session.map(one => [one]),
      alike,
    ),
    { minLength: 1, maxLength: 10 },
  )
  .map(groups => groups.flat().flatMap(list => list.map((one, at) => ({ ...one, beginsSession: at === 0 }))))

const question = fc.oneof(
  fc.constant(''),
  fc.constant('nobody said anything like it'),
  fc.constant('heron jetty'),
  fc.array(fc.oneof(word, fc.constant('quasar')), { maxLength: 30 }).map(words => words.join(' ')),
)
/** Mostly so few postings that not all can be read. */
const limits = fc.oneof(
  fc.constant(ranking),
  fc.record({ postings: fc.nat(60), relatedPostings: fc.nat(20) }),
)
const asked = fc.record({ documents, question, limits, share: fc.double({ min: 0, max: 1, noNaN: true }) })

/** Asks an index as if it ended at n: when it has grown further, as a fork finds it, and when it was restored. */
function compare(exhaustive: typeof exhaustiveScores) {
  return ({
    documents,
    question,
    limits,
    share,
  }: {
    documents: RecallDocument[]
    question: string
    limits: Limits
    share: number
  }) => {
    const index = createRecallIndex()
    for (const one of documents) index.append(one)
    const n = Math.round(share * index.size)
    for (const one of [index, restored(documents, index.size), restored(documents, n)]) {
      for (const size of [n, index.size]) {
        const found = rank(one, question, size, limits.postings, limits.relatedPostings)
        expect([...found.scores]).toEqual(exhaustive(said(one, documents), found.asked, size, limits))
      }
    }
  }
}

/** An index that was packed after so many documents, and has grown since. */
function restored(documents: readonly RecallDocument[], size: number): RecallIndex {
  const past = createRecallIndex()
  for (const one of documents.slice(0, size)) past.append(one)
  const { index } = unpackIndex(packIndex(past))
  for (const one of documents.slice(size)) index.append(one)
  return index
}

describe('rank', () => {
  it('gives every entry the score that the plain formula gives, to the last bit', () => {
    fc.assert(fc.property(asked, compare(exhaustiveScores)), { seed: 11, numRuns: runs })
  })

  it.each([
    ['neighbours of another session', { crossing: true }],
    ['ties of sessions by the newer one', { newer: true }],
    ['an opener in the second place', { openerAt: 1 }],
    ['rounding down', { round: Math.floor }],
    ['the oldest entries of a term', { oldest: true }],
    ['the most common terms first', { common: true }],
    ['a posting more', { more: 1 }],
  ])('finds a planted fault: %s', (_name, fault) => {
    const faulty = (...[said, terms, n, limits]: Parameters<typeof exhaustiveScores>) =>
      exhaustiveScores(said, terms, n, limits, fault)
    const result = fc.check(fc.property(asked, compare(faulty)), {
      seed: 11,
      numRuns: 300,
      endOnFailure: true,
    })
    expect(result.failed).toBe(true)
  })
})

/** An index, with the terms of its documents read anew: the formula does not use what the index keeps of them. */
interface Said {
  readonly index: RecallIndex
  /** By entry: its terms, and how often each occurs. */
  readonly terms: readonly ReadonlyMap<number, number>[]
}

function said(index: RecallIndex, documents: readonly RecallDocument[]): Said {
  const terms = documents.map(({ text }) => {
    const counts = new Map<number, number>()
    for (const term of termsOf(text)) {
      const id = index.vocabulary.get(term)!
      counts.set(id, (counts.get(id) ?? 0) + 1)
    }
    return counts
  })
  return { index, terms }
}

interface Fault {
  readonly crossing?: boolean
  readonly newer?: boolean
  readonly openerAt?: number
  readonly round?: (value: number) => number
  readonly oldest?: boolean
  readonly common?: boolean
  readonly more?: number
}

type Limits = Readonly<Record<'postings' | 'relatedPostings', number>>

type Terms = readonly { readonly id: number; readonly weight: number }[]

/** The formula of recall as it is written down: every entry, every session, nothing left out and nothing used again. */
function exhaustiveScores(
  said: Said,
  terms: Terms,
  n: number,
  { postings, relatedPostings }: Limits,
  fault: Fault = {},
): number[] {
  const { index } = said
  const { crossing = false, newer = false, openerAt = 0, round = Math.round } = fault
  const entries = Array.from({ length: n }, (_, entry) => entry)
  const count = n > 0 ? index.sessions[n - 1]! + 1 : 0
  const sessions = Array.from({ length: count }, (_, one) => entries.filter(at => index.sessions[at] === one))
  const own = matches(said, terms, n, postings, fault)
  const means = sessions.map(list => meanOfBest(list.map(entry => own[entry]!)))
  if (count > 1) {
    const order = sessions
      .map((_, one) => ({ one, score: Math.round(means[one]! * ranking.unit) }))
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score || (newer ? b.one - a.one : a.one - b.one))
    const best = order.slice(0, ranking.feedbackSessions).map(({ one }) => one)
    const related = matches(said, feedbackTerms(said, best, sessions, means, n), n, relatedPostings, fault)
    sessions.forEach((list, one) => {
      means[one]! += ranking.feedback * meanOfBest(list.map(entry => related[entry]!))
    })
  }
  return entries.map(entry => {
    const one = index.sessions[entry]!
    const list = sessions[one]!
    const ownOf = (at: number) =>
      at >= 0 && at < n && (crossing || index.sessions[at] === one) ? own[at]! : 0
    const size = Math.min(1, ranking.openerSize / list.length)
    const sum =
      own[entry]! +
      ranking.beside * Math.max(ownOf(entry - 1), ownOf(entry + 1)) +
      ranking.beyond * Math.max(ownOf(entry - 2), ownOf(entry + 2)) +
      ranking.session * means[one]! +
      (entry === list[openerAt] ? ranking.opener * size * means[one]! : 0)
    const recent = 1 + ranking.recency * Math.exp(-(count - 1 - one) / ranking.recencySessions)
    return round(sum * (recent * ranking.unit) * index.priors[entry]!)
  })
}

function matches({ terms: said }: Said, terms: Terms, n: number, limit: number, fault: Fault): number[] {
  const isRead = readPostings(said, terms, n, limit, fault)
  const lengths = said.map(counts => [...counts.values()].reduce((sum, count) => sum + count, 0))
  const mean = n > 0 ? lengths.slice(0, n).reduce((sum, length) => sum + length, 0) / n || 1 : 1
  const base = ranking.saturation * (1 - ranking.lengthShare)
  const slope = (ranking.saturation * ranking.lengthShare) / mean
  const own = new Array<number>(n).fill(0)
  for (const { id, weight, frequency } of byRarity(said, terms, n)) {
    const rarity = Math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
    const full = weight * (ranking.saturation + 1) * rarity
    for (let entry = 0; entry < n; entry++) {
      const times = said[entry]!.get(id) ?? 0
      if (isRead.has(`${id} ${entry}`))
        own[entry]! += (full * times) / (times + base + slope * lengths[entry]!)
    }
  }
  return own
}

/** The postings that count: the rarest terms first (ties by number), of each term its newest entries first, up to a limit. */
function readPostings(said: Said['terms'], terms: Terms, n: number, limit: number, fault: Fault) {
  const { oldest = false, common = false, more = 0 } = fault
  const order = byRarity(said, terms, n)
  const all = (common ? order.toReversed() : order).flatMap(({ id }) => {
    const entries = [...said.slice(0, n).keys()].filter(entry => said[entry]!.has(id))
    return (oldest ? entries : entries.toReversed()).map(entry => `${id} ${entry}`)
  })
  return new Set(all.slice(0, limit + more))
}

function byRarity(said: Said['terms'], terms: Terms, n: number) {
  return terms
    .map(term => ({ ...term, frequency: frequencyOf(said, term.id, n) }))
    .sort((a, b) => a.frequency - b.frequency || a.id - b.id)
}

function frequencyOf(terms: Said['terms'], id: number, n: number): number {
  return terms.slice(0, n).filter(counts => counts.has(id)).length
}

function meanOfBest(values: readonly number[]): number {
  const [best = 0, second = 0, third = 0] = values.toSorted((a, b) => b - a)
  return (best + second + third) / 3
}

function feedbackTerms(
  { terms }: Said,
  best: readonly number[],
  sessions: readonly (readonly number[])[],
  means: readonly number[],
  n: number,
): Terms {
  const weights = new Map<number, number>()
  for (const one of best) {
    if (sessions[one]!.length > ranking.feedbackSize) continue
    const seen = sessions[one]!.flatMap(entry => [...terms[entry]!.keys()])
    for (const id of new Set(seen)) {
      const count = seen.filter(other => other === id).length
      const frequency = frequencyOf(terms, id, n)
      if ((count < 2 ? n : frequency) > n * ranking.feedbackRarity) continue
      const weight = means[one]! * Math.log(1 + count) * Math.log(n / frequency)
      weights.set(id, (weights.get(id) ?? 0) + weight)
    }
  }
  const list = [...weights]
    .map(([id, weight]) => ({ id, weight: Math.round(weight * ranking.unit) }))
    .sort((a, b) => b.weight - a.weight || a.id - b.id)
    .slice(0, ranking.feedbackTerms)
  return list.map(({ id, weight }) => ({ id, weight: weight / (list[0]?.weight ?? 1) }))
}
