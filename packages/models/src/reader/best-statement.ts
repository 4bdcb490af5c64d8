import { isStopWord, isWeak, meaningfulWords, rawWords, stem } from './meaningful-words.ts'
import { isBareQuestion } from './split-sentences.ts'
import type { Sentence } from './statements.ts'

/** The share of the question's words that a sentence must have, in percent. */
const leastOverlap = 60

/** The sentence that shares most words with a question, rare ones counting more; the newest of equals, if any has enough. */
export function bestStatement(
  question: string,
  statements: readonly Sentence[],
): Sentence | undefined {
  const words = [...new Set(meaningfulWords(question))]
  const asksForQuestions = /\bask(?:ed)?\b/i.test(question)
  // A question may tell something: "I have a boat called Heron, is that a good name?"
  const kind = kindOf(question)
  const tells = (text: string) =>
    kind !== undefined && !isBareQuestion(text) && holds(kind, text, question)
  const candidates = statements.filter(
    one => asksForQuestions || !one.isQuestion || tells(one.text),
  )
  if (words.every(word => isWeak(word)) && saidLately.test(question))
    return latest(question, candidates)
  return words.length === 0 ? undefined : mostShared(words, question, candidates)
}

const saidLately =
  /\b(?:say|said|tell|told|mention(?:ed)?|wr[io]te|ask(?:ed)?|give|gave|answer(?:ed)?)\b/i

/** Answers `What number did I just say?` with the newest fitting sentence, whatever its words. */
function latest(question: string, statements: readonly Sentence[]): Sentence | undefined {
  const speaker = /\byou\b/i.test(question)
    ? 'assistant'
    : /\btool\b/i.test(question)
      ? 'tool'
      : 'user'
  const fits = statements.filter(
    ({ speaker: who, text }) =>
      who === speaker && !isStepLine.test(text) && (!asksForNumber(question) || hasNumber(text)),
  )
  return fits.findLast(statement => !statement.isJustNow) ?? fits.at(-1)
}

/** The lines that an experiment sends every role in every step: they are not quoted. */
const isStepLine = /^(?:Step \d+\.?$|Current Environment:)/

function mostShared(words: readonly string[], question: string, candidates: readonly Sentence[]) {
  const strong = words.filter(word => !isWeak(word))
  const needed = strong.length > 0 ? strong : words
  const least = Math.ceil((needed.length * leastOverlap) / 100)
  // Numbers must match: box 19 is no answer to a question about box 7.
  const numbers = words.filter(word => /\p{N}/u.test(word))
  const kind = kindOf(question)
  const wordsAround = createWordsAround()
  const read = candidates.map(statement => ({
    statement,
    has: new Set(meaningfulWords(statement.text)),
  }))
  const weights = new Map(
    words.map(word => {
      const count = read.filter(({ has }) => has.has(word)).length
      // In powers of two, because floating-point logarithms differ between engines.
      return [word, 2 * (32 - Math.clz32(Math.floor(read.length / Math.max(1, count))))]
    }),
  )
  const wantsNumber = asksForNumber(question)
  const thing = thingOf(question)
  const namesThing = (text: string, has: ReadonlySet<string>) =>
    thing !== undefined && has.has(thing) && hasName(text, question)
  let best: Sentence | undefined
  let bestScore = 0
  for (const { statement, has } of read) {
    const { text, isQuestion } = statement
    if (!numbers.every(number => has.has(number))) continue
    const isFitting = kind !== undefined && holds(kind, text, question)
    // "She needs it by 30 April." says of whom only in the sentences around it.
    const around = isFitting ? wordsAround(statement) : has
    const isEnough = needed.filter(word => has.has(word)).length >= least
    if (!isEnough && !needed.every(word => around.has(word)) && !namesThing(text, has)) continue
    const shared = words.reduce(
      (sum, word) => sum + (has.has(word) ? 4 : around.has(word) ? 2 : 0) * weights.get(word)!,
      0,
    )
    const worth =
      (kind === undefined || isFitting ? 1 : 0.5) *
      (isQuestion ? 0.75 : 1) *
      worthOfLength(rawWords(text).length)
    // Less than any word: it only decides between sentences that share the same words.
    const preference = (wantsNumber && hasNumber(text) ? 2 : 0) + (text.endsWith('…') ? 0 : 1)
    const score = worth * shared + preference
    if (score < bestScore) continue
    best = statement
    bestScore = score
  }
  return best
}

/** What is asked for by what was done with it: a sentence that names one answers, in whatever words it was done. */
function thingOf(question: string): string | undefined {
  const [, noun = ''] =
    /\b(?:which|what)\s+(\p{L}+)\s+(?:did|have|had)\s+(?:i|we)\b/iu.exec(question) ?? []
  return meaningfulWords(noun).find(word => !isWeak(word))
}

/** Long sentences share words with everything. */
const worthOfLength = (words: number) => (words <= 40 ? 1 : words <= 60 ? 0.75 : 0.5)

/** Gives the words of the text that a statement stands in. Sentences of one text share them. */
function createWordsAround() {
  const cache = new Map<string, ReadonlySet<string>>()
  return ({ within }: Sentence): ReadonlySet<string> => {
    const words = cache.get(within) ?? new Set(meaningfulWords(within))
    cache.set(within, words)
    return words
  }
}

function asksForNumber(question: string): boolean {
  return /\b(?:numbers?|codes?|pins?|ports?|how (?:many|much|old|long|far)|when|years?|price|cost|phone|age|date|reference)\b/i.test(
    question,
  )
}

type FactKind = 'age' | 'amount' | 'code' | 'time' | 'person' | 'place' | 'name'

const kinds: readonly (readonly [kind: FactKind, question: RegExp])[] = [
  ['age', /\bhow old\b|\bage\b/i],
  [
    'time',
    /^\W*(?:(?:and|so|by|since|until)\s+)*when\b|\b(?:what|which) (?:time|day|date|year)\b/i,
  ],
  ['person', /^\W*(?:(?:and|so)\s+)*who/i],
  ['place', /^\W*(?:(?:and|so)\s+)*where\b/i],
  ['amount', /\bhow (?:many|much|long|far)\b|\b(?:price|cost)\b/i],
  ['code', /\b(?:numbers?|codes?|pins?|ports?|phone|reference)\b/i],
  ['name', /\b(?:called|names?)\b/i],
]

const kindOf = (question: string): FactKind | undefined =>
  kinds.find(([, words]) => words.test(question))?.[0]

/** Whether a sentence holds something of a kind. A thing that the question itself names is not an answer. */
function holds(kind: FactKind, sentence: string, question: string): boolean {
  switch (kind) {
    case 'age':
      return /(?:\b(?:is|am|are|was|were|aged?|turn(?:ed|s))|['’](?:s|m|re)) (?:only |just |now )?\d{1,3}\b(?!:)|\d[- ]years?\b/i.test(
        sentence,
      )
    case 'amount':
      return isCounted(sentence, /\bhow many\s+([\p{L}\p{N}]+)/iu.exec(question)?.[1])
    case 'code':
      return hasNumber(sentence)
    case 'time':
      return timeOfDay.test(sentence) || rawWords(sentence).some(word => timeWords.has(word))
    case 'person': {
      const [, subject] =
        /\bwho(?:'s|’s| is| was| are| were)\s+(?:the\s+)?([\p{L}\p{N}]+)\W*$/iu.exec(question) ?? []
      return subject === undefined ? hasName(sentence, question) : describes(sentence, subject)
    }
    case 'place':
      return /\b(?:in|at|on|to|near|from|behind|under|beside|between|above|inside|into|by)\s/i.test(
        sentence,
      )
    case 'name':
      return /["“`][^"“”`]{1,80}["”`]/.test(sentence) || hasName(sentence, question)
  }
}

/** Whether a number stands just before what is counted, as in `eight new buckets`; without that, anywhere. */
function isCounted(sentence: string, counted: string | undefined): boolean {
  if (counted === undefined) return hasNumber(sentence)
  const words = rawWords(sentence)
  const what = stem(counted.toLowerCase())
  return words.some(
    (word, at) => stem(word) === what && words.slice(Math.max(0, at - 2), at).some(hasNumber),
  )
}

/** `Priya is the county recorder`, `Wilf (retired electrician)`. */
function describes(sentence: string, subject: string): boolean {
  const text = sentence.toLowerCase()
  const at = text.indexOf(subject.toLowerCase())
  return (
    at >= 0 &&
    /^(?: (?:is|was|are|were) (?:the|an?|my|our|your|his|her|their)\b|, (?:who|the|an?|my|our)\b| \()/.test(
      text.slice(at + subject.length),
    )
  )
}

function hasName(sentence: string, question: string): boolean {
  const questionWords = new Set(rawWords(question))
  const capitals = sentence.match(/(?<![\p{L}\p{N}'’])\p{Lu}[\p{L}\p{N}'’-]*/gu) ?? []
  return capitals.some(word =>
    rawWords(word).some(one => one.length > 1 && !questionWords.has(one) && !isStopWord(one)),
  )
}

/** A word of several parts, such as `six-figure`, is not a number, unless all of them are: `sixty-four`. */
const hasNumber = (text: string): boolean => /\p{N}/u.test(text) || hasNumberWord(text)

const hasNumberWord = (text: string) => {
  const isNumber = (word: string) => numberWords.has(word)
  const joined = (words: string) => (rawWords(words).every(isNumber) ? words : '')
  return rawWords(text.replace(/(?<!\p{L})\p{L}{1,40}-\p{L}{1,40}/gu, joined)).some(isNumber)
}

const numberWords = new Set(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million`.split(
    /\s+/,
  ),
)

const timeOfDay =
  /\b(?:\d{1,2}[:.]\d{2}|\d{1,2}(?:st|nd|rd|th| ?[ap]m)|(?:19|20)\d{2}|half past)\b/i

const timeWords = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december jan feb mar apr jun jul aug sep oct nov dec yesterday today tonight tomorrow noon midnight`.split(
    /\s+/,
  ),
)
