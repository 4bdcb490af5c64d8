import type { TokenCounter } from '@throughline/core/counters'
import { readOnHint, readResultName } from '@throughline/core/messages'

/** What the model sees of a result that is too long: its beginning, how much is left and how to read on. */
export function clippedView(
  text: string,
  options: { place: number; from?: number; mostTokens: number; count: TokenCounter; tool?: string },
): string | undefined {
  const { place, from = 0, mostTokens, count, tool = readResultName } = options
  if (from + clipText(text, from, mostTokens, count).length >= text.length) return undefined
  // Leaves room for the hint, so that the result of reading on is not clipped once more.
  const clip = clipText(text, from, Math.max(1, mostTokens - hintTokens), count)
  const end = from + clip.length
  return `${clip}\n${readOnHint(text.length - end, `${tool}({"place": ${place}, "from": ${end}})`)}`
}

/** The most tokens of the hint that says how to read on. */
const hintTokens = 48

/** The longest part of a text, from a place on, with at most `mostTokens`. Counts only as much text as may fit. */
function clipText(text: string, from: number, mostTokens: number, count: TokenCounter): string {
  // Few tokens have more than eight characters: a longer text does not fit, and need not be counted.
  let end = Math.min(text.length, from + mostTokens * 8)
  for (;;) {
    const clipped = text.slice(from, wholeEnd(text, end))
    const tokens = count.text(clipped)
    if (tokens <= mostTokens || clipped.length <= 1) return clipped
    end = from + Math.max(1, Math.floor(((clipped.length * mostTokens) / tokens) * 0.95))
  }
}

/** Moves an end out of the middle of a surrogate pair. */
function wholeEnd(text: string, end: number): number {
  const unit = text.charCodeAt(end)
  return end < text.length && unit >= 0xdc00 && unit < 0xe000 ? end - 1 : end
}
