import { answerOf, type Exchange } from './exchange.ts'
import { splitFences } from './fences.ts'
import { firstSentence } from './sentence.ts'

/** The first sentence stands in the beginning; a longer answer is not read to its end. */
const MAX_READ = 20_000

/** The first sentence of the answer, of its prose where it has some; takes every exchange. */
export function digestText(exchange: Exchange): string {
  const answer = answerOf(exchange.messages)
  return firstSentence(splitFences(answer.slice(0, MAX_READ)).prose) || firstSentence(answer) || '(no answer)'
}
