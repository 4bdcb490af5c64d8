import { codeAt, isDigit, isLetter, isSpace, type Scan } from './scan.ts'

/** The price of digits: a token for three, and one for a blank before them. */
export function scanDigits(scan: Scan): number {
  const { text, at, spaced } = scan
  let end = at + 1
  while (isDigit(codeAt(text, end))) end++
  move(scan, end, 'other')
  return Math.ceil((end - at) / 3) + (spaced ? 1 : 0)
}

/** The price of white space: a run is about one token at any length; its last blank belongs to the next word. */
export function scanSpace(scan: Scan): number {
  const { text, at, before } = scan
  // Fast path: most are the blank before a word, which is part of its token.
  if (codeAt(text, at) === 32 && !isSpace(codeAt(text, at + 1))) {
    move(scan, at + 1, 'other')
    scan.spaced = true
    return 0
  }
  let end = at
  let newlines = 0
  let tabs = 0
  let blanks = 0
  let trailing = 0
  let changes = 0
  for (let code = codeAt(text, end); isSpace(code); code = codeAt(text, ++end)) {
    if (code === 32) blanks++
    else if (code === 9) tabs++
    else if (code === 10 || code === 13) newlines++
    else changes++
    trailing = code === 32 ? trailing + 1 : 0
    if (end > at && code !== codeAt(text, end - 1)) changes++
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
  if (tabs > 1 && trailing === 0 && !isLetter(codeAt(text, end))) tokens += 0.8
  return tokens
}

export function scanPunctuation(scan: Scan, first: number): number {
  const { text, at, spaced, before } = scan
  move(scan, at + 1, 'punctuation')
  if (!spaced && isLetter(codeAt(text, at + 1))) {
    // `don't` is cut before the apostrophe, `l'amour` after it too.
    if (first === 39 && before === 'letter') return isLetter(codeAt(text, at + 3)) ? 0.75 : 0.1
    return ownToken.includes(text[at]!) ? 0.8 : 0.3
  }
  let tokens = 1
  let same = 0
  let end = at + 1
  for (let code = codeAt(text, end); isPunctuation(code); code = codeAt(text, ++end)) {
    const second = end === at + 1
    if (code !== codeAt(text, end - 1)) {
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
  if (first < 160) return (spaced ? 0.3 : 0) + 1.5
  const index = scripts.findIndex(([end]) => first >> 4 < end)
  const [end, each = 3, run = 0] = scripts[index]!
  const from = scripts[index - 1]?.[0] ?? 10
  // A blank is part of a word's token, but not of one that holds a byte.
  let tokens = run + (spaced ? (each < 3 ? 0.3 : 1) : 0)
  let to = at
  for (
    let code = first;
    code >> 4 >= from && code >> 4 < end && !isLetter(code) && !isSpace(code);
    code = codeAt(text, ++to)
  ) {
    tokens += each
    // The vowel signs of Arabic, and letters that neither Arabic nor Persian has.
    if ((code >= 0x64b && code < 0x660) || (code >= 0x6b0 && code < 0x700 && code !== 0x6cc))
      tokens += 0.52
    else if (code >= 0xd83c && code < 0xd83f) tokens -= 0.8 // Emoji
  }
  scan.at = to
  scan.doubt += 0.2 * (to - at)
  return tokens + (from === russian ? rareCyrillic(scan, to - at) : 0)
}

/** The extra cost of Russian letters in languages that have others too, such as Kyrgyz or Sakha: few of their words are tokens. */
function rareCyrillic(scan: Scan, letters: number): number {
  const { text, at } = scan
  for (const code of [codeAt(text, at), codeAt(text, at - letters - 1)])
    if (code >= 0x492 && code < 0x530) scan.foreign = 24
  if (scan.foreign === 0) return 0
  scan.foreign--
  return 0.3 * letters
}

/** Before a word, these signs are mostly a token of their own; others mostly share the word's token. */
const ownToken = ',(@\\:;/>)[?^-'
/** Signs that lines are drawn with: long runs of them are single tokens. */
const lines = '-=*#_./'

const isPunctuation = (code: number): boolean =>
  code > 32 && code < 127 && !isLetter(code) && !isDigit(code)

function move(scan: Scan, at: number, before: Scan['before']): void {
  scan.at = at
  scan.before = before
  scan.spaced = false
}

/** A script beyond Latin: the first code unit / 16 behind it (ascending), the cost of each character, and the cost of a run. */
type Script = readonly [end: number, each?: number, run?: number]

/** Where the small letters of Russian begin. */
const russian = 0x43

/**
 * Fitted to the larger count of o200k and cl100k. cl100k knows few letters beyond Latin, often one or two tokens each;
 * o200k needs about half for Russian, Arabic, Hindi and Korean. A script without a price is rare: it costs its bytes in
 * UTF-8, mostly 3 a character, which no tokenizer of bytes can exceed.
 */
const scripts: readonly Script[] = [
  [0x25, 1.5], // signs of Latin-1
  [0x38, 2], // phonetic letters, accents
  [0x3e, 1.05, 0.2], // Greek
  [0x43, 2], // Coptic, Cyrillic capitals
  [0x45, 0.37, 0.5], // Cyrillic as Russian has it
  [0x53, 2], // Ukrainian, Serbian and others
  [0x59, 1.9, 1], // Armenian
  [0x5d, 2], // vowel signs of Hebrew
  [0x60, 0.9, 1.2], // Hebrew
  [0x70, 0.76, 1.2], // Arabic
  [0x80, 2],
  [0x90],
  [0x98, 0.96, 0.7], // Devanagari
  [0xb0, 1.95], // Bengali, Gujarati and their neighbours
  [0xb8], // Odia
  [0xd8, 1.95], // Tamil, Telugu and their neighbours
  [0xe0, 2.15], // Sinhala
  [0xe8, 0.95, 1.2], // Thai
  [0xec, 1.95, 1.2], // Lao
  [0xf0], // its vowels that stand first
  [0xf9, 1.95, 1.2], // Tibetan
  [0x100], // its letters that stand below others
  [0x105, 1.95, 1.2], // Burmese
  [0x10d],
  [0x110, 1.9, 1], // Georgian
  [0x178],
  [0x180, 1.95, 1.2], // Khmer
  [0x1ea],
  [0x1f0, 1.5], // Vietnamese
  [0x200],
  [0x207, 1], // dashes, quotation marks, joiners
  [0x21a, 2, 0.2], // signs of currencies, arrows
  [0x220],
  [0x227, 2, 0.2], // mathematics
  [0x250],
  [0x258, 0.6, 1.5], // boxes: a line of one is one run
  [0x260, 2, 0.2], // blocks, shapes
  [0x300],
  [0x304, 1.2], // Chinese and Japanese punctuation
  [0x310, 0.85, 0.2], // kana
  [0x4e0],
  [0xa00, 1.33], // Han
  [0xac0],
  [0xd7b, 1.25], // Hangul
  [0xd80],
  [0xdc0, 4], // the first half of a character beyond the first 65,536; `scanOther` knows emoji
  [0xe00, 0], // its second half
  [0xfe0],
  [0xfe1, 2], // variation selectors
  [0xff0],
  [0x1000, 1.9, 0.2], // full width forms
]
