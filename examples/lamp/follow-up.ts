import { courtesies } from '../shared/understanding.ts'
import {
  articles,
  changes,
  comparatives,
  makers,
  measures,
  newThings,
  openings,
  references,
} from './follow-up-words.ts'

/** Whether a request changes the program that plays or asks for another one, and the words that decided it. */
export interface Decision {
  readonly kind: 'new' | 'follow-up'
  readonly why: string
}

/**
 * Decides it by rules, in this order: the first that holds decides. No model is asked, so it takes no time and is always the
 * same. A mistake costs little: the program that plays is in every context, whatever was decided.
 */
export function decide(request: string, hasProgram: boolean): Decision {
  if (!hasProgram) return asNew('nothing plays yet')
  const words = wordsOf(request)
  const text = words.join(' ')
  const saysNew = beginningOf(text, newThings)
  if (saysNew) return asNew(`“${saysNew}”`)
  const maker = beginningOf(text, makers)
  if (maker) {
    const object = words[maker.split(' ').length]
    // "show it", "give me that again" speak of what plays; "show me a sunset" does not.
    return object !== undefined && references.has(object)
      ? asFollowUp(`“${maker} ${object}”`)
      : asNew(`“${maker}”`)
  }
  if (articles.has(words[0] ?? '') && !measures.has(words[1] ?? ''))
    return asNew(`“${words[0]} ${words[1] ?? ''}”`)
  const opening = beginningOf(text, openings) ?? beginningOf(text, changes)
  if (opening) return asFollowUp(`“${opening}”`)
  const word = words.find(word => references.has(word) || comparatives.has(word))
  if (word) return asFollowUp(`“${word}”`)
  return asNew('nothing in it speaks of what plays')
}

const asNew = (why: string): Decision => ({ kind: 'new', why })
const asFollowUp = (why: string): Decision => ({ kind: 'follow-up', why })

/** Nobody needs more words than this to say what they want: a long text costs no more than a short one. */
const mostWords = 60

/** The words in small letters, without signs and without the courtesies that may stand before a request. */
function wordsOf(request: string): readonly string[] {
  const words = (
    request
      .slice(0, 1000)
      .normalize('NFC')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  ).slice(0, mostWords)
  const first = words.findIndex(word => !courtesies.has(word))
  return first < 0 ? words : words.slice(first)
}

/** The phrase of a list that a text begins with, in whole words. */
function beginningOf(text: string, phrases: readonly string[]): string | undefined {
  return phrases.find(phrase => text === phrase || text.startsWith(`${phrase} `))
}
