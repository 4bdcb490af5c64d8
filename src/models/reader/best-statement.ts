import { hasNumber, holds, kindOf } from './answer-kind.ts'
import { isWeak, meaningfulWords, rawWords } from './meaningful-words.ts'
import { isBareQuestion } from './split-sentences.ts'
import type { Sentence } from './statements.ts'

/** The share of the question's words that a sentence must have, in percent. */
const leastOverlap = 60

/** The sentence that shares most words with a question, rare ones counting more; the newest of equals, if any has enough. */
export function bestStatement(question: string, statements: readonly Sentence[]): Sentence | undefined {
  const words = [...new Set(meaningfulWords(question))]
  const asksForQuestions = /\bask(?:ed)?\b/i.test(question)
  // A question may tell something: "I have a boat called Heron, is that a good name?"
  const kind = kindOf(question)
  const tells = (text: string) => kind !== undefined && !isBareQuestion(text) && holds(kind, text, question)
  const candidates = statements.filter(
    ({ isQuestion, text }) => asksForQuestions || !isQuestion || tells(text),
  )
  if (words.every(word => isWeak(word)) && saidLately.test(question)) return latest(question, candidates)
  return words.length === 0 ? undefined : mostShared(words, question, candidates)
}

const saidLately = /\b(?:say|said|tell|told|mention(?:ed)?|wr[io]te|ask(?:ed)?|give|gave|answer(?:ed)?)\b/i

/** Answers `What number did I just say?` with the newest fitting sentence, whatever its words. */
function latest(question: string, statements: readonly Sentence[]): Sentence | undefined {
  const speaker = /\byou\b/i.test(question) ? 'assistant' : /\btool\b/i.test(question) ? 'tool' : 'user'
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
  const read = candidates.map(statement => ({ statement, has: new Set(meaningfulWords(statement.text)) }))
  const weights = new Map(
    words.map(word => {
      const count = read.filter(({ has }) => has.has(word)).length
      // In powers of two, because floating-point logarithms differ between engines.
      return [word, 2 * (32 - Math.clz32(Math.floor(read.length / Math.max(1, count))))]
    }),
  )
  const wantsNumber = asksForNumber(question)
  let best: Sentence | undefined
  let bestScore = 0
  for (const { statement, has } of read) {
    const { text, isQuestion } = statement
    if (!numbers.every(number => has.has(number))) continue
    const isFitting = kind !== undefined && holds(kind, text, question)
    // "She needs it by 30 April." says of whom only in the sentences around it.
    const around = isFitting ? wordsAround(statement) : has
    const isEnough = needed.filter(word => has.has(word)).length >= least
    if (!isEnough && !needed.every(word => around.has(word))) continue
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
