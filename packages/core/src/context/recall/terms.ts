import { fold } from '../../log/fold.ts'
import { unspacedCharacters, wordCharacters } from '../../log/word-characters.ts'
import { createPlainWords } from './plain-words.ts'

/** The terms of a text, in order, with repeats. Not by `Intl.Segmenter`: its dictionary, and so contexts, would vary by engine. */
export function termsOf(text: string): readonly string[] {
  const plain: string[] = []
  if (readPlainWords(text, plain)) return plain
  const terms: string[] = []
  for (const word of wordsOf(fold(text).replace(unspaced, ' $& '))) {
    if (word.search(unspaced) < 0) {
      const term = termOf(word)
      if (term) terms.push(term)
      continue
    }
    // Where a script does not separate words, its characters and the pairs of neighbours.
    let last = ''
    for (const part of word) {
      terms.push(part)
      if (last) terms.push(last + part)
      last = part
    }
  }
  return terms
}

/** The stem of a word; empty if it carries no meaning. */
const toTerm = (word: string): string => (stopWords.has(word) ? '' : stem(word))

const readPlainWords = createPlainWords(toTerm)

const termOfWord = new Map<string, string>()

/** The same for words of any script. Cached: texts repeat their words, and equal terms share one text. */
function termOf(word: string): string {
  let term = termOfWord.get(word)
  if (term === undefined) {
    if (termOfWord.size > 50_000) termOfWord.clear()
    term = toTerm(word)
    termOfWord.set(word, term)
  }
  return term
}

/** Removes a label at the front ("[Monday, 8 May]", "[10:30]"): it says when something was said, and asks for nothing. */
export const withoutLabel = (text: string): string =>
  text.replace(/^(?:\s*\[[^\]\n]{0,200}\]\s*)+/, '')

export const wordsOf = (text: string): readonly string[] => text.match(wholeWord) ?? []

const unspaced = new RegExp(`[${unspacedCharacters}]+`, 'gu')
const wholeWord = new RegExp(`[${wordCharacters}]+`, 'gu')

/** In any alphabet, letters after the seventh are mostly an ending: "deployment" and "deploying" become equal. */
const longest = 7

/** The common part of a word's forms: English plural, -ed, -ing and -ly go. Finds nearly as much as a full stemmer. */
export function stem(word: string): string {
  const root = /^[a-z]{4,}$/.test(word) ? withoutEnding(word) : word
  return root.length > longest && !/\p{N}/u.test(root) ? root.slice(0, longest) : root
}

function withoutEnding(word: string): string {
  const ending = /(?:sses|ie[sd]|edly|ings?|ed|es|ly|s)$/.exec(word)?.[0] ?? ''
  const instead = /^ie/.test(ending) ? 'y' : ending === 'sses' ? 'ss' : ''
  const rest = word.slice(0, word.length - ending.length)
  const isWord = rest.length >= (instead ? 2 : 3) && /[aeiouy]/.test(rest + instead)
  // "bus" and "boss" are no plurals.
  let root = isWord && !(ending === 's' && /[su]$/.test(rest)) ? rest + instead : word
  // "planned" and "running" double the letter of "plan" and "run".
  if (root !== word && /^(?:in|ed)/.test(ending)) root = root.replace(/([bdfgmnprt])\1$/, '$1')
  return root.replace(/(?<=...)e$/, '').replace(/(?<=..)y$/, 'i')
}

/** English words that begin a question. */
export const askingWords =
  'are can could did do does had has have how is should was were what when where which who whom why will would'

/** Words that carry no meaning for matching. They are left out. */
const stopWords: ReadonlySet<string> = new Set(
  (
    `${askingWords} a about also am an and any as at be been but by d don for from get got he her him ` +
    'his i if in into it its just like ll m me my of on or our re really s she so some t than that the their them ' +
    'then there these they this those to ve we with you your'
  ).split(' '),
)
