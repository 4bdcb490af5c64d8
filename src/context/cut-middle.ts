import type { TokenCounter } from '../tokens/counter.ts'
import { cutMark } from './texts.ts'

/** No tokenizer makes a token of more characters than this out of ordinary text: longer slices are not even tried. */
const maxCharactersPerToken = 16

/**
 * Cuts a text in its middle, visibly, to at most `limit` tokens. Gives '' when not even the mark fits.
 * Beginning and end stay: they say what the text is and what it wants.
 */
export function cutMiddle(text: string, limit: number, count: TokenCounter): string {
  const whole = count.text(text)
  if (whole <= limit) return text
  const mark = cutMark(whole)
  if (count.text(mark) > limit) return ''
  let low = 0
  let high = Math.min(text.length - 1, limit * maxCharactersPerToken)
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if (count.text(keep(text, middle, mark)) <= limit) low = middle
    else high = middle - 1
  }
  return keep(text, low, cutMark(whole - count.text(keep(text, low, ''))))
}

/** Two thirds of what is kept come from the beginning. */
function keep(text: string, characters: number, mark: string): string {
  const head = Math.ceil((characters * 2) / 3)
  const tail = text.length - (characters - head)
  return sliceWhole(text, 0, head) + mark + sliceWhole(text, tail, text.length)
}

/** A slice that never begins or ends inside a surrogate pair. */
function sliceWhole(text: string, from: number, to: number): string {
  const splits = (at: number) =>
    at > 0 && at < text.length && isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at))
  return text.slice(splits(from) ? from + 1 : from, splits(to) ? to - 1 : to)
}

const isHigh = (unit: number) => unit >= 0xd800 && unit < 0xdc00
const isLow = (unit: number) => unit >= 0xdc00 && unit < 0xe000
