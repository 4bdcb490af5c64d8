/** The beginning of a text as one line of at most `max` UTF-16 units. Folds white space, splits no character, reads no further. */
export function cut(text: string, max: number): string {
  const line = fold(text, max)
  if (line.length <= max) return line
  return `${line.slice(0, boundary(line, max - 1)).trimEnd()}…`
}

/** `1 step`, `2 steps`. */
export const plural = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`

/** `43,686` */
export const grouped = (amount: number): string => amount.toLocaleString('en')

/** `8k`, `5,000` */
export const windowName = (window: number): string =>
  window % 1024 === 0 ? `${grouped(window / 1024)}k` : grouped(window)

/** The first `max` items, without repeats: `a, b, …`. */
export function few(items: Iterable<string>, max: number): string {
  const all = [...new Set(items)]
  return all.slice(0, max).join(', ') + (all.length > max ? ', …' : '')
}

/** Control characters fold too: a terminal's escape codes or a NUL in a tool result have no place in a prompt. */
const WORD = /[^\s\p{Cc}]{1,200}/gu

/** Folds white space, and stops beyond `max` characters: a longer result tells the caller that the text goes on. */
function fold(text: string, max: number): string {
  let line = ''
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    line += line !== '' && index > end ? ` ${word}` : word
    end = index + word.length
    if (line.length > max) break
  }
  return line
}

/** Matches where a character goes on after its first unit: the second half of a pair, a mark, a skin tone, a joiner. */
const JOINED = /^(?:[\u{10000}-\u{10ffff}]|\u200d|.(?:\u200d|\p{M}|[\u{1f3fb}-\u{1f3ff}]))/u

/** The last place at or before `end` that splits no character. Not by `Intl.Segmenter`, whose rules change with the engine. */
function boundary(line: string, end: number): number {
  let at = end
  while (at > 0 && JOINED.test(line.slice(at - 1, at + 2))) at--
  return at
}
