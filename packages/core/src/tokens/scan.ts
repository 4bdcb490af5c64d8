/** The estimate's place in a text, and what it remembers of the runs before. */
export interface Scan {
  readonly text: string
  at: number
  /** The run before this one, as far as it matters; the beginning of the text counts as a newline. */
  before: 'letter' | 'newline' | 'punctuation' | 'other'
  /** A space stands before this run: part of a word's token, but not of a number's. */
  spaced: boolean
  /** The guessed part of the price. */
  doubt: number
  /** The price of the last words above one token each, as far as short English words may lower it. */
  rare: number
  /** For how many more runs Cyrillic counts as that of a rare language. */
  foreign: number
}

const lower = 0
const upper = 1

/** The code of a character, 0 outside the text: `charCodeAt` gives NaN there, and every later call from that place is slow. */
export const codeAt = (text: string, at: number): number =>
  at >= 0 && at < text.length ? text.charCodeAt(at) : 0

export const isLower = (code: number): boolean => code < 0x250 && kinds[code] === lower

export const isUpper = (code: number): boolean => code < 0x250 && kinds[code] === upper

export const isLetter = (code: number): boolean => code < 0x250 && kinds[code]! <= upper

export const isDigit = (code: number): boolean => code >= 48 && code <= 57

/** The blank, tab, newlines, the no-break space and the wide space of Chinese. */
export const isSpace = (code: number): boolean =>
  code === 32 || code === 10 || code === 9 || code === 13 || code === 0xa0 || code === 0x3000

/** Latin letters by code. Letters above U+00DE count as small: their case does not change a price. */
const kinds = /* @__PURE__ */ Uint8Array.from({ length: 0x250 }, (_, code) => {
  if ((code >= 97 && code <= 122) || (code >= 0xdf && code !== 0xf7)) return lower
  return (code >= 65 && code <= 90) || (code >= 0xc0 && code < 0xdf && code !== 0xd7) ? upper : 2
})
