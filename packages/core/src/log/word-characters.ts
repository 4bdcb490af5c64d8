// What a word is, for search in stores and for recall: both must find the same words in a text.

/** The characters of words, for a class of a regex: letters, marks and digits. */
export const wordCharacters = '\\p{L}\\p{M}\\p{N}'

/** The characters of scripts without blanks between words, for a class of a regex: Thai to Khmer, Chinese, Japanese, Korean. */
export const unspacedCharacters = '\\u0e00-\\u109f\\u1780-\\u17ff\\u2e80-\\u{3ffff}'

/** Whether a code unit is a letter or a digit of ASCII. */
export const isAsciiWord = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)
