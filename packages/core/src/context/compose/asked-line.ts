import type { Message } from '../../log/message.ts'
import { linesIn, withoutReminders } from '../../log/telling.ts'
import { keepLatest } from '../conversation/remember.ts'
import { isTalk } from '../recall/asking.ts'
import { termsOf } from '../recall/terms.ts'

/** Lines of a result that are looked at, and characters of a line and of a request. */
const mostLines = 200
const mostOfLine = 300
const mostOfRequest = 4000
/** Characters of the message that has the request. */
const mostOfMessage = 40_000

/** Programs number the lines of a file: that is nothing new. */
const lineNumber = /^\d{1,6}(?:[:|→]|\s)/

/** A line that shares a single word with the request may be any line. */
const leastShared = 2

/**
 * The line of a result that tells most of what a request asks for: it shares the rarest of its
 * words with the request, and says something that the request does not say. Undefined where no
 * line shares two words.
 */
export function askedLine(text: string, request: Message): string | undefined {
  const asked = termsAsked(request)
  if (asked.size < leastShared) return undefined
  const lines = linesIn(text)
    .slice(0, mostLines)
    .map(line => {
      const beginning = line.slice(0, mostOfLine)
      const terms = [...new Set(wordsIn(beginning.replace(lineNumber, '')))]
      const shared = terms.filter(term => asked.has(term))
      return { line: beginning, shared, isNew: shared.length < terms.length }
    })
  const frequency = new Map<string, number>()
  for (const { shared } of lines)
    for (const term of shared) frequency.set(term, (frequency.get(term) ?? 0) + 1)
  let best: string | undefined
  let most = 0
  for (const { line, shared, isNew } of lines) {
    if (!isNew || shared.length < leastShared || shared.every(isTalk)) continue
    const worth = shared.reduce(
      (sum, term) => sum + Math.log(1 + lines.length / frequency.get(term)!),
      0,
    )
    if (worth > most) [best, most] = [line, worth]
  }
  return best
}

const latestTerms = keepLatest<Message, ReadonlySet<string>>()

function termsAsked(request: Message): ReadonlySet<string> {
  return latestTerms(request, '', () => {
    // Programs put what they always say before the request, which is the end.
    const end = request.text.slice(-mostOfMessage)
    return new Set(wordsIn(withoutReminders(end).slice(-mostOfRequest)))
  })
}

/** The stem of "keys" is "kei" and that of "key" is "key", likewise "days". Recall finds less when they are one; here they are. */
const wordsIn = (text: string): readonly string[] =>
  termsOf(text).map(term => (term.length === 3 ? term.replace(/i$/, 'y') : term))
