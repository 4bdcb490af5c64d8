import { InvalidOptionError } from '../log/error.ts'
import { showValue } from '../log/show-value.ts'
import { payloadTexts } from './payload-texts.ts'
import { words } from './words.ts'

/** The index takes quadratic time for the words of a query: a second for 10,000. */
const maxWanted = 1_000

/** The different words of a query. */
export function toWanted(query: string): string[] {
  if (typeof query !== 'string')
    throw new InvalidOptionError('query', `expected a text, got ${showValue(query)}`)
  const wanted = words([query])
  if (wanted.size > maxWanted)
    throw new InvalidOptionError('query', `${wanted.size} words are too many: ask for at most ${maxWanted}`)
  return [...wanted]
}

export function hasWords(payload: string, wanted: readonly string[]): boolean {
  const has = words(payloadTexts(payload))
  return wanted.every(word => has.has(word))
}
