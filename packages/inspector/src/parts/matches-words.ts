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

/** The message that a query names by its number: `12`, `#12`, `find 12`. */
export function placeIn(query: string): number | undefined {
  const [, place] = /^(?:find )?#?(\d{1,9})$/i.exec(query.trim()) ?? []
  return place === undefined ? undefined : Number(place)
}
