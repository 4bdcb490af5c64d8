import type { TokenCounter } from './create-counter.ts'

const maxAttempts = 30

/** Cuts out the middle of a text, as its ends say what it is; '' if not even the mark fits. `markOf` gets the missing tokens. */
export function cutMiddle(
  text: string,
  limit: number,
  count: TokenCounter,
  markOf: (tokens: number) => string,
): string {
  const whole = count.text(text)
  if (whole <= limit) return text
  const mark = markOf(whole)
  const free = limit - count.text(mark)
  if (free < 0) return ''
  // Tokens are spread about evenly, so the first guess is close and few corrections, each a costly count, are needed.
  let characters = Math.floor((text.length / whole) * free)
  for (let attempt = 0; attempt < maxAttempts && characters > 0; attempt++) {
    const tokens = count.text(keep(text, characters, mark))
    if (tokens <= limit) return keep(text, characters, markOf(whole - free))
    characters = Math.floor(characters * Math.min(0.98, (limit / tokens) * 0.98))
  }
  return keep(text, 0, mark)
}

/** The length to cut the longest of some texts to, so that all together have at most `room`: short ones stay whole. */
export function commonLength(lengths: readonly number[], room: number): number {
  const sorted = [...lengths].sort((a, b) => a - b)
  let left = room
  for (const [index, length] of sorted.entries()) {
    const share = Math.floor(left / (sorted.length - index))
    if (length > share) return Math.max(0, share)
    left -= length
  }
  return sorted.at(-1) ?? 0
}

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
