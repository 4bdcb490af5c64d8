import { termsOf } from '../../context/recall/terms.ts'

/** Whether a word carries a meaning, so that it is worth looking for. */
export const isTelling = (word: string): boolean => termsOf(word).length > 0

/** The most words that are looked for one by one. */
const mostWords = 12

/** The longest of some words, as long words are rare. */
export const longestWords = (words: readonly string[]): readonly string[] =>
  words.toSorted((a, b) => b.length - a.length).slice(0, mostWords)
