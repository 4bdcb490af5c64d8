import { isCount } from '../../log/is-count.ts'
import type { ReplyEnd, ReplyStart } from './face.ts'

/** The tokens of a reply: the provider's counts, or ours of the prompt where it gave none. `cached` is a part of `prompt`. */
export function tokensOf(start: ReplyStart, end: ReplyEnd) {
  const { promptTokens, replyTokens, cachedTokens } = end.usage
  const prompt = countOr(promptTokens, countOr(start.promptTokens, 0))
  return { prompt, reply: countOr(replyTokens, 0), cached: Math.min(countOr(cachedTokens, 0), prompt) }
}

/** What is no count would be written as null, which strict clients refuse. */
function countOr(value: number | undefined, other: number): number {
  return isCount(value) ? value : other
}
