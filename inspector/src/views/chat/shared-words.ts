/** Words of more than three letters, and each character of scripts without blanks. */
const words = (text: string): ReadonlySet<string> =>
  new Set(
    text.toLowerCase().match(/[\p{L}\p{N}]{4,}|[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu) ??
      [],
  )

/** How many words of a question stand in a text, long ones counting more, and where the longest of them is. */
export function sharedWords(
  question: string,
  text: string,
): { readonly amount: number; readonly at: number } {
  const wanted = words(question.slice(0, 4000))
  const inside = text.slice(0, 20_000).toLowerCase()
  let longest = ''
  let amount = 0
  for (const word of words(inside)) {
    if (!wanted.has(word)) continue
    amount += Math.max(1, word.length - 3)
    if (word.length > longest.length) longest = word
  }
  return { amount, at: longest === '' ? -1 : inside.indexOf(longest) }
}

/** A text from a little before a place on, in a line. */
export function lineFrom(text: string, at: number): string {
  const from = at > 60 ? text.lastIndexOf(' ', at - 20) + 1 : 0
  return `${from > 0 ? '… ' : ''}${text.slice(from, from + 300)}`
}
