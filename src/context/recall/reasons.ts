import type { RecallIndex } from './recall-index.ts'
import { termsOf, withoutLabel, wordsOf } from './terms.ts'

const mostWords = 6

/** Why each unit was recalled, in the words of the message that asked for it. */
export function reasonsFor(
  index: RecallIndex,
  text: string,
  asked: readonly { readonly id: number }[],
  units: readonly number[],
  n: number,
): readonly string[] {
  const words = surfaceWords(index, text)
  const wanted = asked.filter(({ id }) => words.has(id)).map(({ id }) => id)
  const matches = (unit: number) => {
    const terms = unit < n ? index.termsAt(unit) : undefined
    const found = wanted.filter(id => terms?.includes(id))
    // Common words explain nothing where there are others.
    const telling = found.filter(id => index.weights[id] === 1)
    return (telling.length > 0 ? telling : found).map(id => words.get(id)!)
  }
  return units.map(unit => {
    const session = index.sessions[unit]
    for (const near of [unit, unit - 1, unit + 1, unit - 2, unit + 2]) {
      const found = index.sessions[near] === session ? matches(near) : []
      if (found.length > 0)
        return `${near === unit ? '' : 'stands beside what was '}asked for: ${list(found)}`
    }
    return `from a session about what was asked: ${list(wanted.map(id => words.get(id)!))}`
  })
}

/** The words of the message by their terms. */
function surfaceWords(index: RecallIndex, text: string): Map<number, string> {
  const words = new Map<number, string>()
  for (const word of wordsOf(withoutLabel(text))) {
    for (const term of termsOf(word)) {
      const id = index.vocabulary.get(term)
      if (id !== undefined && !words.has(id)) words.set(id, term.length < 3 ? term : word)
    }
  }
  return words
}

function list(words: readonly string[]): string {
  const shown = words.slice(0, mostWords).join(', ')
  return words.length > mostWords ? `${shown} …` : shown
}
