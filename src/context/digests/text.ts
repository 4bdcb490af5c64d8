import { answerOf, type Exchange } from './exchange.ts'
import { splitFences } from './fences.ts'
import { firstSentence } from './sentence.ts'

/** Characters of an answer that are read: the first sentence stands in the beginning. */
const MAX_READ = 20_000

/** Digests any exchange: the first sentence of the answer, of its prose where it has some. */
export function digestText(exchange: Exchange): string {
  const answer = answerOf(exchange.messages)
  return firstSentence(splitFences(answer.slice(0, MAX_READ)).prose) || firstSentence(answer) || '(no answer)'
}
