import { stem, termsOf } from '../../context/recall/terms.ts'
import { toWanted } from '../../stores/words.ts'

/** The words that are looked for, in the order of the query. Of each its forms, first as it is written in the query. */
export type WordQuery = readonly (readonly string[])[]

/** The most words that are looked for. A bit for each must fit into a number. */
const mostWords = 12

/**
 * The words of a text that are worth looking for: those that carry a meaning, unless it has no others, and of a long text the
 * longest, as long words are rare. Words of one stem are one.
 */
export function toQuery(text: string): WordQuery {
  const all = toWanted(text)
  const telling = all.filter(isTelling)
  const words = [...new Map((telling.length > 0 ? telling : all).map(word => [stem(word), word])).values()]
  const longest = new Set(words.toSorted((a, b) => b.length - a.length).slice(0, mostWords))
  return words.filter(word => longest.has(word)).map(formsOf)
}

/** Whether a word carries a meaning. */
export const isTelling = (word: string): boolean => termsOf(word).length > 0

/**
 * A word and, in English, what it may look like elsewhere: `hiking`, `hike`, `hikes`, `hiked`; `study`, `studies`, `studied`. The
 * index has words as they are written.
 */
function formsOf(word: string): readonly string[] {
  if (!/^[a-z]{3,}$/.test(word)) return [word]
  const bare = word.replace(/(?<=...)(?:ing|ed|es|e|s)$/, '')
  const root = bare.replace(/(?<=..[^aeiou])[iy]$/, '')
  const single = root.replace(/([bdfgmnprt])\1$/, '$1')
  const endings = root === bare ? ['', 's', 'es', 'ed', 'ing', 'e'] : ['y', 'ies', 'ied', 'ying', 'ie']
  return [...new Set([word, ...endings.map(ending => root + ending), single])]
}
