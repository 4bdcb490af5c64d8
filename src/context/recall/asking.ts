import { askingWords, fold } from './terms.ts'

/** Whether a text asks, at least in passing: it has a question mark, or begins like a question. */
export const isQuestion = (text: string): boolean => /[?？؟]/.test(text) || isPlain(text)

/** Whether a text begins like a question: not everyone types the mark. */
export const isPlain = (text: string): boolean => begins.test(fold(text.slice(0, 200)))

const begins = new RegExp(
  `^\\W*(?:${askingWords.replaceAll(' ', '|')}|list|recall|remind|summari[sz]e|tell me|whose)\\b`,
)
