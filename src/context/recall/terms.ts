import { stem } from './stem.ts'
import { commonWords, stopWords } from './word-lists.ts'

/**
 * The terms of a text, in order, as often as they occur. Pure string work: `Intl.Segmenter` would find words in
 * Chinese, but its dictionary changes with the engine, and a context must be the same bytes everywhere.
 */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = []
  for (const word of wordsOf(text.toLowerCase())) {
    if (stopWords.has(word)) continue
    if (isSpaced(word)) terms.push(stem(word))
    else addUnspaced(terms, word)
  }
  return terms
}

/** Removes a label at the front ("[Monday, 8 May]", "[10:30]"): it says when something was said, and asks for nothing. */
export function withoutLabel(text: string): string {
  return text.replace(/^(?:\s*\[[^\]\n]{0,200}\]\s*)+/, '')
}

/** Whether a term is common in any conversation: it counts half. */
export function isCommon(term: string): boolean {
  return commonStems.has(term)
}

const commonStems: ReadonlySet<string> = new Set([...commonWords].map(stem))

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu

/** Whether a word's script has spaces. In Unicode, scripts without begin with Thai: a cheap test for nearly all words. */
function isSpaced(word: string): boolean {
  return word.charCodeAt(0) < 0x0e00 && word.charCodeAt(word.length - 1) < 0x0e00
}

/** Adds pairs of neighbouring characters where a script does not separate words, and the words between them. */
function addUnspaced(terms: string[], word: string): void {
  let at = 0
  for (const run of word.matchAll(unspaced)) {
    if (run.index > at) terms.push(stem(word.slice(at, run.index)))
    const characters = [...run[0]]
    if (characters.length === 1) terms.push(run[0])
    for (let next = 1; next < characters.length; next++) terms.push(characters[next - 1]! + characters[next]!)
    at = run.index + run[0].length
  }
  if (at < word.length) terms.push(stem(word.slice(at)))
}
