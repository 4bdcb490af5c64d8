import { cutMark } from '../../log/texts.ts'
import type { TokenCounter } from '../../tokens/counter.ts'

/**
 * Cuts a text in its middle, visibly, to at most `limit` tokens; returns '' when not even the mark fits.
 * Beginning and end stay: they say what the text is and what it wants.
 */
export function cutMiddle(text: string, limit: number, count: TokenCounter): string {
  const whole = count.text(text)
  if (whole <= limit) return text
  const mark = cutMark(whole)
  const free = limit - count.text(mark)
  if (free < 0) return ''
  // Tokens are spread about evenly, so the first guess is close and few corrections, each a costly count, are needed.
  let characters = Math.floor((text.length / whole) * free)
  for (let attempt = 0; attempt < maxAttempts && characters > 0; attempt++) {
    const tokens = count.text(keep(text, characters, mark))
    if (tokens <= limit) return keep(text, characters, cutMark(whole - free))
    characters = Math.floor(characters * Math.min(0.98, (limit / tokens) * 0.98))
  }
  return keep(text, 0, mark)
}

const maxAttempts = 30

/** Keeps two thirds from the beginning and one third from the end. */
function keep(text: string, characters: number, mark: string): string {
  const head = Math.ceil((characters * 2) / 3)
  const tail = text.length - (characters - head)
  return sliceWhole(text, 0, head) + mark + sliceWhole(text, tail, text.length)
}

/** A slice that never begins or ends inside a surrogate pair. */
function sliceWhole(text: string, from: number, to: number): string {
  const splits = (at: number) => (text.codePointAt(at - 1) ?? 0) > 0xffff
  return text.slice(splits(from) ? from + 1 : from, splits(to) ? to - 1 : to)
}
