/** Where the estimate is in a text, and what it must remember of the runs before. */
export interface Scan {
  readonly text: string
  at: number
  before: 'start' | 'letter' | 'digit' | 'space' | 'newline' | 'punctuation' | 'other'
  /** A space stands before this run: it belongs to the token of a word, but not to that of a number. */
  spaced: boolean
  /** How much of the price was guessed. */
  doubt: number
  /** What the last words cost above one token each, as far as English may take it back. */
  rare: number
}

export function isLower(code: number): boolean {
  return code < 0x250 && kinds[code] === lower
}

export function isUpper(code: number): boolean {
  return code < 0x250 && kinds[code] === upper
}

export function isLetter(code: number): boolean {
  return code < 0x250 && kinds[code]! <= upper
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57
}

/** The blank, tab, newlines, the no-break space and the wide space of Chinese. */
export function isSpace(code: number): boolean {
  return code === 32 || code === 10 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000
}

const lower = 0
const upper = 1

/** Latin letters by their code. Those above U+00DE count as small ones: telling them apart would not change a price. */
const kinds = /* @__PURE__ */ Uint8Array.from({ length: 0x250 }, (_, code) => {
  if ((code >= 97 && code <= 122) || (code >= 0xdf && code !== 0xf7)) return lower
  return (code >= 65 && code <= 90) || (code >= 0xc0 && code < 0xdf && code !== 0xd7) ? upper : 2
})
