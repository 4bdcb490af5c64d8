import { isStopWord, rawWords, stem } from './meaningful-words.ts'

export type FactKind = 'age' | 'amount' | 'code' | 'time' | 'person' | 'place' | 'name'

const kinds: readonly (readonly [kind: FactKind, question: RegExp])[] = [
  ['age', /\bhow old\b|\bage\b/i],
  ['time', /^\W*(?:(?:and|so|by|since|until)\s+)*when\b|\b(?:what|which) (?:time|day|date|year)\b/i],
  ['person', /^\W*(?:(?:and|so)\s+)*who/i],
  ['place', /^\W*(?:(?:and|so)\s+)*where\b/i],
  ['amount', /\bhow (?:many|much|long|far)\b|\b(?:price|cost)\b/i],
  ['code', /\b(?:numbers?|codes?|pins?|ports?|phone|reference)\b/i],
  ['name', /\b(?:called|names?)\b/i],
]

export const kindOf = (question: string): FactKind | undefined =>
  kinds.find(([, words]) => words.test(question))?.[0]

/** Whether a sentence holds something of a kind. A thing that the question itself names is not an answer. */
export function holds(kind: FactKind, sentence: string, question: string): boolean {
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
      return /\b(?:in|at|on|to|near|from|behind|under|beside|between|above|inside|into|by)\s/i.test(sentence)
    case 'name':
      return /["“`][^"“”`]{1,80}["”`]/.test(sentence) || hasName(sentence, question)
  }
}

/** Whether a number stands just before what is counted, as in `eight new buckets`; without that, anywhere. */
function isCounted(sentence: string, counted: string | undefined): boolean {
  if (counted === undefined) return hasNumber(sentence)
  const words = rawWords(sentence)
  const what = stem(counted.toLowerCase())
  return words.some((word, at) => stem(word) === what && words.slice(Math.max(0, at - 2), at).some(hasNumber))
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

/** A word of several parts, such as `six-figure`, is not a number. */
export const hasNumber = (text: string): boolean => /\p{N}/u.test(text) || hasNumberWord(text)

const hasNumberWord = (text: string) =>
  rawWords(text.replace(/(?<!\p{L})\p{L}{1,40}-\p{L}{1,40}/gu, '')).some(word => numberWords.has(word))

const numberWords = new Set(
  'zero one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand million'.split(
    ' ',
  ),
)

const timeOfDay = /\b(?:\d{1,2}[:.]\d{2}|\d{1,2}(?:st|nd|rd|th| ?[ap]m)|(?:19|20)\d{2}|half past)\b/i

const timeWords = new Set(
  `monday tuesday wednesday thursday friday saturday sunday january february march april may june july august september
  october november december jan feb mar apr jun jul aug sep oct nov dec yesterday today tonight tomorrow noon midnight`.split(
    /\s+/,
  ),
)
