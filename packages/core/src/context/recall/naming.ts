import { fold } from '../../log/fold.ts'
import { isName, isQuestion, isTalk, possessive, tellsWhich } from './asking.ts'
import { rarity } from './posting.ts'
import type { RankedIndex } from './recall-index.ts'
import { termsOf, wordsOf } from './terms.ts'

/** The best score of a unit that may be recalled, the best at the end of the tail, which the model sees, and that of the first message. */
export interface Best {
  readonly old: number
  readonly seen: number
  readonly seenUnit: number
  readonly first: number
}

/** A user message among the units of a conversation. */
interface Naming {
  readonly index: RankedIndex
  readonly user: number
  readonly transcript: { readonly firstUser: number }
}

/** A longer message says more than any old one does: of it no share is asked. */
const shortMessage = 8

/** The share of a short message that an old one and those beside it must say. Real questions without a name have more, chance has less. */
const leastShare = 0.375

/** From this share on a message in view says what is asked for. */
const wholeShare = 0.95

/** Whether a message names what the best old units say, and what the model does not see anyway. */
export function namesTheOld(
  { index, user, transcript }: Naming,
  { text, firstText }: { readonly text: string; readonly firstText: string },
  { old, seen, seenUnit, first }: Best,
  oldUnits: readonly number[],
): boolean {
  const shareOf = sharesOf(index, text, user)
  const isAnswered = (unit: number, score: number) => score >= old && shareOf(unit, 0) >= wholeShare
  if (isAnswered(seenUnit, seen)) return false
  // A fact of the first message may have changed since.
  const isNews = oldUnits.some(unit => shareOf(unit, 0) >= wholeShare)
  if (!isNews && isAnswered(transcript.firstUser, first) && !isQuestion(firstText)) return false
  if (new Set(termsOf(text)).size > shortMessage) return oldUnits.length > 0
  const share = oldUnits.reduce((most, unit) => Math.max(most, shareOf(unit, 1)), 0)
  return share >= leastShare || (share > 0 && isAboutUs(index, text, user))
}

/** Whether a text speaks of the people who talk: in the first person, or by a name that they often use. */
function isAboutUs(index: RankedIndex, text: string, n: number): boolean {
  const isOften = (term: string) =>
    index.frequency(index.vocabulary.get(term) ?? -1, n) >= Math.max(1, n * oftenShare)
  return (
    isPersonal(text) ||
    wordsOf(text.slice(1)).some(word => isName(word) && termsOf(word).some(isOften))
  )
}

/** A name that this share of the messages has belongs to the people of the talk. */
const oftenShare = 1 / 50

/** Whether a text speaks of the speaker. */
export const isPersonal = (text: string): boolean =>
  /\b(?:i|me|my|we|our|ich|mein|wir|yo|mis?)\b/i.test(text) || possessive.test(fold(text))

/**
 * Gives the share of a text's words that an entry before `n` has, together with its neighbours; rare words count more. It is 0 where
 * they share nothing but words of talk, and small numbers that do not say which thing is meant.
 */
export function sharesOf(
  index: RankedIndex,
  text: string,
  n: number,
): (entry: number, beside: number) => number {
  const words = wordsOf(text)
  const isTellingWord = (word: string, at: number) =>
    !isTalk(word) || (at > 0 && isName(word)) || tellsWhich(words, at, index, n)
  const telling = new Set(words.filter(isTellingWord).flatMap(termsOf))
  const terms = Array.from(new Set(termsOf(text)), term => {
    const id = index.vocabulary.get(term) ?? -1
    const isTelling = telling.has(term)
    // The index may know more than was said before `n`.
    const frequency = index.frequency(id, n)
    // A word of talk that was never said says nothing about what was.
    const factor = isTelling ? 1 : frequency === 0 ? 0 : talkWeight
    return { id, isTelling, weight: factor * rarity(frequency, n) }
  })
  const weigh = (list: typeof terms) => list.reduce((sum, { weight }) => sum + weight, 0)
  const whole = weigh(terms)
  return (entry, beside) => {
    if (entry < 0) return 0
    const places: number[] = []
    for (let at = Math.max(0, entry - beside); at < Math.min(n, entry + beside + 1); at++)
      if (index.sessions[at] === index.sessions[entry]) places.push(at)
    const shared = terms.filter(({ id }) => id >= 0 && places.some(at => index.has(at, id)))
    if (!shared.some(({ isTelling }) => isTelling)) return 0
    // Rounded, as logarithms differ in the last bit between engines.
    return Math.round((1000 * weigh(shared)) / whole) / 1000
  }
}

/** What a word of talk counts beside another word. */
const talkWeight = 0.5
