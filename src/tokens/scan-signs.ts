import { isDigit, isLetter, isSpace, type Scan } from './scan.ts'
import { scripts } from './scripts.ts'

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
