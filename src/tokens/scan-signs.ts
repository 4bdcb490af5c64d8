import { isDigit, isLetter, isSpace, type Scan } from './scan.ts'

/** The price of digits: a token for three, and one for a blank before them. */
export function scanDigits(scan: Scan): number {
  const { text, at, spaced } = scan
  let end = at + 1
  while (isDigit(text.charCodeAt(end))) end++
  move(scan, end, 'other')
  return Math.ceil((end - at) / 3) + (spaced ? 1 : 0)
}

/** The price of white space: a run is about one token at any length; its last blank belongs to the next word. */
export function scanSpace(scan: Scan): number {
  const { text, at, before } = scan
  let end = at
  let newlines = 0
  let tabs = 0
  let blanks = 0
  let trailing = 0
  let changes = 0
  for (let code = text.charCodeAt(end); isSpace(code); code = text.charCodeAt(++end)) {
    if (code === 32) blanks++
    else if (code === 9) tabs++
    else if (code === 10 || code === 13) newlines++
    else changes++
    trailing = code === 32 ? trailing + 1 : 0
    if (end > at && code !== text.charCodeAt(end - 1)) changes++
  }
  move(scan, end, newlines > 0 ? 'newline' : 'other')
  scan.spaced = trailing > 0
  let tokens = 0.5 * changes
  if (newlines > 0) {
    // The first newline belongs to the punctuation before it.
    tokens += (before === 'punctuation' ? 0.1 : 1) + 0.061 * (newlines - 1)
    if (changes > 0) tokens -= 0.5
  }
  if (trailing > 1) tokens += 0.9
  if (blanks > 1) tokens += 0.012 * blanks
  if (tabs > 0) tokens += 1.14 + 0.06 * (tabs - 1)
  // The last tab joins a word after it, but not a sign.
  if (tabs > 1 && trailing === 0 && !isLetter(text.charCodeAt(end))) tokens += 0.8
  return tokens
}

export function scanPunctuation(scan: Scan, first: number): number {
  const { text, at, spaced, before } = scan
  move(scan, at + 1, 'punctuation')
  if (!spaced && isLetter(text.charCodeAt(at + 1))) {
    // `don't` is cut before the apostrophe, `l'amour` after it too.
    if (first === 39 && before === 'letter') return isLetter(text.charCodeAt(at + 3)) ? 0.75 : 0.1
    return ownToken.includes(text[at]!) ? 0.8 : 0.3
  }
  let tokens = 1
  let same = 0
  let end = at + 1
  for (let code = text.charCodeAt(end); isPunctuation(code); code = text.charCodeAt(++end)) {
    const second = end === at + 1
    if (code !== text.charCodeAt(end - 1)) {
      tokens += second ? 0.05 : 0.8
      same = 0
    } else {
      tokens += second ? 0.1 : lines.includes(text[end]!) ? 0.03 : 0.27
      if (++same === 3) tokens += 0.8
    }
  }
  scan.at = end
  return tokens
}

/** The price of control characters, signs, and letters of other scripts. */
export function scanOther(scan: Scan, first: number): number {
  const { text, at, spaced } = scan
  move(scan, at + 1, 'other')
  const space = spaced ? 0.3 : 0
  if (first < 160) return space + 1.5
  const index = scripts.findIndex(([end]) => first < end)
  const [end, run, each] = scripts[index]!
  const from = scripts[index - 1]?.[0] ?? 160
  let tokens = space + run
  let to = at
  for (
    let code = first;
    code >= from && code < end && !isLetter(code) && !isSpace(code);
    code = text.charCodeAt(++to)
  ) {
    tokens += each
    // The vowel signs of Arabic.
    if (code >= 0x64b && code < 0x660) tokens += 0.52
  }
  scan.at = to
  scan.doubt += 0.2 * (to - at)
  return tokens
}

/** Before a word, these signs are mostly a token of their own; others mostly share the word's token. */
const ownToken = ',(@\\:;/>)[?^-'
/** Signs that lines are drawn with: long runs of them are single tokens. */
const lines = '-=*#_./'

function isPunctuation(code: number): boolean {
  return code > 32 && code < 127 && !isLetter(code) && !isDigit(code)
}

function move(scan: Scan, at: number, before: Scan['before']): void {
  scan.at = at
  scan.before = before
  scan.spaced = false
}

/**
 * The prices of characters beyond Latin: the first code unit that no longer belongs to a script (the list is in order),
 * what a run of the script costs once, and what each of its characters costs.
 */
type Script = readonly [end: number, run: number, each: number]

/**
 * Fitted to the larger count of o200k and cl100k. cl100k knows few letters beyond Latin, often one or two tokens each;
 * o200k needs about half for Russian, Arabic, Hindi and Korean.
 */
const scripts: readonly Script[] = [
  [0x370, 0, 1.5], // signs of Latin-1, accents
  [0x400, 0.2, 1.05], // Greek
  [0x430, 0, 2], // Cyrillic capitals
  [0x450, 0.5, 0.37], // Cyrillic as Russian has it
  [0x530, 0, 1.9], // Ukrainian, Serbian and others
  [0x590, 1, 1.9], // Armenian
  [0x600, 1.2, 0.9], // Hebrew
  [0x780, 1.2, 0.76], // Arabic
  [0x900, 0.2, 3],
  [0x980, 0.7, 0.96], // Devanagari
  [0xe00, 0, 1.95], // Bengali, Tamil, Telugu and their neighbours
  [0xe80, 1.2, 0.95], // Thai
  [0x10a0, 1.2, 1.95], // Lao, Tibetan, Burmese
  [0x1100, 1, 1.9], // Georgian
  [0x1200, 0, 1.25], // Hangul letters
  [0x1780, 0.2, 3],
  [0x1800, 1.2, 1.95], // Khmer
  [0x1e00, 0.2, 3],
  [0x2000, 0, 1.5], // Vietnamese, old Greek
  [0x2070, 0, 1], // dashes, quotation marks, joiners
  [0x2500, 0.2, 2], // arrows, mathematics
  [0x2580, 1.5, 0.6], // boxes: a line of one is one run
  [0x2800, 0.2, 2], // blocks, shapes, symbols
  [0x2900, 0.2, 3], // braille, as spinners draw with it
  [0x2e80, 0.2, 2.5],
  [0x3040, 0, 1.2], // Chinese and Japanese punctuation
  [0x3100, 0.2, 0.85], // kana
  [0x3400, 0, 1.85],
  [0xa000, 0, 1.33], // Han
  [0xac00, 0.2, 3],
  [0xd7b0, 0, 1.25], // Hangul
  [0xd800, 0.2, 3],
  [0xe000, 0, 1.6], // half of an emoji or of another character beyond the first 65,536
  [0xfe00, 0.2, 3],
  [0xfe10, 0, 2], // variation selectors
  [0x10000, 0.2, 1.9], // full width forms
]
