/** Whether a text has all words of a query: each begins one of its words. In scripts without spaces it may stand anywhere. */
export function matchesWords(text: string, query: string): boolean {
  const has = wordsOf(text)
  return wordsOf(query).every(word =>
    has.some(one => one.startsWith(word) || (unspaced.test(word) && one.includes(word))),
  )
}

const wordsOf = (text: string): readonly string[] =>
  text
    .toLowerCase()
    .normalize('NFD')
    .replace(/\p{Mn}/gu, '')
    .split(/[^\p{L}\p{N}]/u)
    .filter(word => word !== '')

const unspaced =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/u
