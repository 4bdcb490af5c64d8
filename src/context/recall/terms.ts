/**
 * The terms of a text, in order, as often as they occur. Pure string work: `Intl.Segmenter` would find words in
 * Chinese, but its dictionary changes with the engine, and a context must be the same bytes everywhere.
 */
export function termsOf(text: string): readonly string[] {
  const terms: string[] = []
  for (const word of wordsOf(fold(text).replace(unspaced, ' $& '))) {
    if (stopWords.has(word)) continue
    // Where a script does not separate words, pairs of neighbouring characters; one that is alone, alone.
    const parts = word.search(unspaced) < 0 ? [stem(word)] : [...word]
    if (parts.length === 1) terms.push(parts[0]!)
    for (let next = 1; next < parts.length; next++) terms.push(parts[next - 1]! + parts[next]!)
  }
  return terms
}

/** A text as it is compared: small letters without accents, as not everyone types them. */
export const fold = (text: string): string =>
  text.toLowerCase().normalize('NFD').replace(accents, '').normalize('NFC')

/** Accents of Latin, Greek and Cyrillic letters, and the vowel signs and hamzas of Arabic. */
const accents = /[\u0300-\u036f\u064b-\u065f]/g

/** Removes a label at the front ("[Monday, 8 May]", "[10:30]"): it says when something was said, and asks for nothing. */
export function withoutLabel(text: string): string {
  return text.replace(/^(?:\s*\[[^\]\n]{0,200}\]\s*)+/, '')
}

/** Whether a term is common in any conversation: it counts half. */
export function isCommon(term: string): boolean {
  return commonStems.has(term)
}

export function wordsOf(text: string): readonly string[] {
  return text.match(/[\p{L}\p{M}\p{N}]+/gu) ?? []
}

/** Thai, Lao, Tibetan, Myanmar, Khmer; Chinese and Japanese; Korean, whose words carry their particles with them. */
const unspaced = /[\u0e00-\u109f\u1780-\u17ff\u2e80-\u{3ffff}]+/gu

/** In any alphabet, letters after the seventh are mostly an ending: "deployment" and "deploying" become equal. */
const longest = 7

/**
 * The common part of a word's forms: English plural, -ed, -ing and -ly are removed. A light stem finds nearly as much as
 * a full stemmer, without its tables.
 */
export function stem(word: string): string {
  const root = word.length > 3 && isAscii.test(word) ? withoutEnding(word) : word
  return root.length > longest && !hasDigit.test(root) ? root.slice(0, longest) : root
}

function withoutEnding(word: string): string {
  const ending = /(?:sses|ie[sd]|edly|ings?|ed|es|ly|s)$/.exec(word)?.[0] ?? ''
  const instead = /^ie/.test(ending) ? 'y' : ending === 'sses' ? 'ss' : ''
  const rest = word.slice(0, word.length - ending.length)
  const isWord = rest.length >= (instead ? 2 : 3) && hasVowel.test(rest + instead)
  // "bus" and "boss" are no plurals.
  let root = isWord && !(ending === 's' && /[su]$/.test(rest)) ? rest + instead : word
  if (root !== word && isDoubling.test(ending) && isDoubled.test(root)) root = root.slice(0, -1)
  if (root.length > 3 && root.endsWith('e')) root = root.slice(0, -1)
  return root.length > 2 && root.endsWith('y') ? `${root.slice(0, -1)}i` : root
}

const isAscii = /^[a-z]+$/
const hasDigit = /\p{N}/u
const hasVowel = /[aeiouy]/
/** "planned" and "running" double the letter of "plan" and "run". */
const isDoubling = /^(?:ings?|ed|edly)$/
const isDoubled = /([bdfgmnprt])\1$/

/** English words that begin a question. */
export const askingWords =
  'are can could did do does had has have how is should was were what when where which who whom why will would'

/** Words that carry no meaning for matching. They are left out. */
const stopWords: ReadonlySet<string> = new Set(
  (
    `${askingWords} a about also am an and any as at be been but by d didn doesn don for from get got he her hers him ` +
    'his i if in into isn it its just like ll m me my of on or our re really s she so some t than that the their them ' +
    'then there these they this those to ve wasn we with you your'
  ).split(' '),
)

/** Stems of words that are common in any conversation. They count half. */
const commonStems: ReadonlySet<string> = new Set(
  (
    'able add after again all always anything ask away back bad because before begin best better bit both bring ' +
    'call came change come day down each end even ever every everything feel felt few find fine first five found ' +
    'four gave give go good great hello help here hey hi hope keep kind know last late later leave let little ' +
    'live long look lot made make many maybe mean more most much name need never new next nice no not nothing now ' +
    'off oh ok okay once one only other out over own please put question real remember right said same say see ' +
    'set show since something start stay still stop such sure take talk tell thank thing think three time today ' +
    'told too took true try turn two under up use very wait want way week well while work year yes yet'
  )
    .split(' ')
    .map(stem),
)
