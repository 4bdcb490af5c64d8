import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { packIndex, unpackIndex } from './packed/packed-words.ts'
import { rank } from './rank.ts'
import * as ranking from './ranking.ts'
import { createRecallIndex, type RecallDocument, type RecallIndex } from './recall-index.ts'
import { termsOf } from './terms.ts'

const runs = process.env.THROUGHLINE_LONG ? 5000 : 30

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
  // Long ones, which are about as long as others, and have a word more often than counts.
  fc
    .integer({ min: 8, max: 70 })
    .map(size => `${'sail '.repeat(size)}${'mast rope '.repeat(size % 7)}`),
)
const document: fc.Arbitrary<RecallDocument> = fc.record({
  text,
  isUser: fc.boolean(),
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
  .map(groups =>
    groups.flat().flatMap(list => list.map((one, at) => ({ ...one, beginsSession: at === 0 }))),
  )

const question = fc.oneof(
  fc.constant(''),
  fc.constant('nobody said anything like it'),
  fc.constant('heron jetty'),
  fc.array(fc.oneof(word, fc.constant('quasar')), { maxLength: 30 }).map(words => words.join(' ')),
)
/** Mostly so few postings and entries that not all can be read and looked at. */
const limits: fc.Arbitrary<ranking.RankLimits> = fc.oneof(
  fc.constant(ranking.limits),
  fc.record({
    postings: fc.nat(60),
    related: fc.nat(20),
    entries: fc.nat(60),
    newest: fc.integer({ min: 1, max: 12 }),
  }),
)
const asked = fc.record({
  documents,
  question,
  parts: fc.array(question, { maxLength: 3 }),
  limits,
  share: fc.double({ min: 0, max: 1, noNaN: true }),
})
type Asked = typeof asked extends fc.Arbitrary<infer Value> ? Value : never

/** Asks an index as if it ended at n: when it has grown further, as a fork finds it, and when it was restored. */
function compare(exhaustive: typeof exhaustiveScores) {
  return ({ documents, question, parts, limits, share }: Asked) => {
    const index = createRecallIndex()
    for (const one of documents) index.append(one)
    const n = Math.round(share * index.size)
    for (const one of [index, restored(documents, index.size), restored(documents, n)]) {
      for (const size of [n, index.size]) {
        const ranked = rank(one, question, { n: size, parts, limits })
        const rankings = [ranked, ...ranked.parts]
        const found = rankings.map(({ scores }) =>
          scores.units.map((unit, at) => [unit, scores.values[at]!]),
        )
        const terms = rankings.map(ranking => ranking.terms)
        expect(found).toEqual(exhaustive(said(one, documents), terms, size, limits))
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
    ['a session more', { furtherSession: true }],
    ['not the newest entries', { forgetful: true }],
    ['not the best sessions of the parts', { partless: true }],
    ['exact lengths', { exact: true }],
    ['every occurrence', { every: true }],
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
  readonly furtherSession?: boolean
  readonly forgetful?: boolean
  readonly partless?: boolean
  readonly exact?: boolean
  readonly every?: boolean
}

type Terms = readonly (readonly [id: number, weight: number])[]

/**
 * The formula of recall as it is written down, for the terms of a text and of parts of it: every entry, every session, nothing
 * left out and nothing used again.
 */
function exhaustiveScores(
  said: Said,
  [whole, ...parts]: readonly Terms[],
  n: number,
  limits: ranking.RankLimits,
  fault: Fault = {},
): number[][][] {
  const { newest } = limits
  const { sessions } = said.index
  const lists: number[][] = []
  for (let entry = 0; entry < n; entry++) {
    lists[sessions[entry]!] ??= []
    lists[sessions[entry]!]!.push(entry)
  }
  const of = (terms: Terms) => scoresOfText(said, lists, terms, n, limits, fault)
  const [own, others] = [of(whole!), parts.map(of)]
  const few = others.flatMap(({ best }) => takeSessions(lists, best, newest))
  const inView = sessions.slice(0, n).slice(-newest)
  const looked = new Set([
    ...own.best,
    ...(fault.partless ? [] : few),
    ...(fault.forgetful ? [] : inView),
  ])
  const entries = [...looked].flatMap(one => lists[one]!)
  return [own, ...others].map(({ score }) => entries.map(entry => [entry, score(entry)]))
}

/** The best sessions for the terms of one text, and what each entry scores. */
function scoresOfText(
  said: Said,
  sessions: readonly (readonly number[])[],
  terms: Terms,
  n: number,
  limits: ranking.RankLimits,
  fault: Fault,
) {
  const { index } = said
  const { crossing = false, openerAt = 0, round = Math.round } = fault
  const own = matches(said, terms, n, limits.postings, fault)
  const means = sessions.map(list => meanOfBest(list.map(entry => own[entry]!)))
  const order = [...sessions.keys()].sort(
    (a, b) => means[b]! - means[a]! || (fault.newer ? b - a : a - b),
  )
  const best = takeSessions(sessions, order, limits.entries, fault)
  const recurring = feedbackTerms(said, best.slice(0, ranking.feedbackSessions), sessions, means, n)
  const related = matches(said, recurring, n, limits.related, fault)
  sessions.forEach((list, one) => {
    means[one]! += meanOfBest(
      list.map(entry => related[entry]!),
      ranking.feedback,
    )
  })
  const score = (entry: number) => {
    const one = index.sessions[entry]!
    const list = sessions[one]!
    const mean = means[one]! / ranking.unit
    const ownOf = (at: number) =>
      at >= 0 && at < n && (crossing || index.sessions[at] === one) ? own[at]! : 0
    const opener =
      entry === list[openerAt] ? ranking.opener * Math.min(1, ranking.openerSize / list.length) : 0
    const sum =
      own[entry]! +
      ranking.beside * Math.max(ownOf(entry - 1), ownOf(entry + 1)) +
      ranking.beyond * Math.max(ownOf(entry - 2), ownOf(entry + 2)) +
      (ranking.session + opener) * mean
    const recent =
      1 + ranking.recency * Math.exp(-(sessions.length - 1 - one) / ranking.recencySessions)
    return round(sum * (recent * ranking.unit) * index.priors[entry]!)
  }
  return { best, score }
}

/** The first sessions of a list, until they have so many entries. */
function takeSessions(
  sessions: readonly (readonly number[])[],
  order: readonly number[],
  most: number,
  { furtherSession = false }: Fault = {},
): readonly number[] {
  let size = 0
  const first = order.filter(one => {
    const isWanted = size < most
    size += sessions[one]!.length
    return isWanted
  })
  return furtherSession ? order.slice(0, first.length + 1) : first
}

function matches(
  { terms: said }: Said,
  terms: Terms,
  n: number,
  limit: number,
  fault: Fault,
): number[] {
  const isRead = readPostings(said, terms, n, limit, fault)
  const exact = said.map(counts => [...counts.values()].reduce((sum, count) => sum + count, 0))
  const mean = n > 0 ? exact.slice(0, n).reduce((sum, length) => sum + length, 0) / n || 1 : 1
  const lengths = fault.exact ? exact : exact.map(about)
  const own = new Array<number>(n).fill(0)
  for (const { id, weight, frequency } of byRarity(said, terms, n)) {
    const full = weight * Math.log(1 + (n - frequency + 0.5) / (frequency + 0.5))
    for (let entry = 0; entry < n; entry++) {
      if (!isRead.has(`${id} ${entry}`)) continue
      const times = Math.min(fault.every ? 100 : 7, said[entry]!.get(id) ?? 0)
      const share = 1 - ranking.lengthShare + (ranking.lengthShare * lengths[entry]!) / mean
      const score =
        full * (((ranking.saturation + 1) * times) / (times + ranking.saturation * share))
      own[entry] = Math.fround(own[entry]! + score)
    }
  }
  return own
}

/** The middle of the lengths that count as one: below 8 each by itself, then four between one power of two and the next. */
function about(length: number): number {
  for (let start = 0, step = 1; ; start += step) {
    if (start >= 8 * step) step *= 2
    if (length < start + step) return start + (step - 1) / 2
  }
}

/** The postings that count: the rarest terms first (ties as in the message), of each term its newest entries first, up to a limit. */
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
    .map(([id, weight]) => ({ id, weight, frequency: frequencyOf(said, id, n) }))
    .sort((a, b) => a.frequency - b.frequency)
}

function frequencyOf(terms: Said['terms'], id: number, n: number): number {
  return terms.slice(0, n).filter(counts => counts.has(id)).length
}

function meanOfBest(values: readonly number[], weight = 1): number {
  const [best = 0, second = 0, third = 0] = values.toSorted((a, b) => b - a)
  return Math.round(((weight * ranking.unit) / 3) * (best + second + third))
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
    .map(([id, weight]) => [id, Math.round(weight)] as const)
    .sort((a, b) => b[1] - a[1] || a[0] - b[0])
    .slice(0, ranking.feedbackTerms)
  return list.map(([id, weight]) => [id, weight / (list[0]![1] || 1)])
}
