import { countLongText } from './long-text.ts'

/** The functions of a gpt-tokenizer encoding that are used here. */
export interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
  clearMergeCache(): void
}

/** Counts texts with an encoding of gpt-tokenizer, in time linear in their length. */
export function countWith({ countTokens, clearMergeCache }: Encoding): (text: string) => number {
  let cached = 0

  function count(text: string): number {
    // gpt-tokenizer becomes some ten times slower when its cache of 100,000 entries is full. Clearing the cache in time
    // also frees the texts whose slices it holds.
    cached += text.length
    if (cached > 250_000) {
      clearMergeCache()
      cached = text.length
    }
    return countTokens(text, asText)
  }

  return text => countLongText(text, count)
}

/** Counts `<|endoftext|>` in a text as ordinary text; by default the library throws on it. */
const asText = { disallowedSpecial: new Set<string>() }
