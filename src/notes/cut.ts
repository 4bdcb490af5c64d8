/** Control characters fold too: a terminal's escape codes or a NUL in a tool result have no place in a prompt. */
const WORD = /[^\s\p{Cc}]{1,200}/gu

/** After one unit: the other half of a pair, a mark, a skin tone; or a joiner on either side. */
const JOINED = /^(?:[\u{10000}-\u{10ffff}]|\u200d|.(?:\u200d|\p{M}|[\u{1f3fb}-\u{1f3ff}]))/u

/**
 * The beginning of a text as one line of at most `max` characters, the `…` of a cut included. Reads only as far as
 * it must: the first 150 characters of 5 MB cost 150 steps. What belongs together is not split.
 */
export function cut(text: string, max: number): string {
  let line = ''
  let end = 0
  for (const { 0: word, index } of text.matchAll(WORD)) {
    line += line !== '' && index > end ? ` ${word}` : word
    end = index + word.length
    if (line.length > max) break
  }
  if (line.length <= max) return line
  let at = max - 1
  while (at > 0 && JOINED.test(line.slice(at - 1, at + 2))) at--
  return `${line.slice(0, at).trimEnd()}…`
}
