import { countLongText } from './long-text.ts'

/** The part of an encoding of gpt-tokenizer that is needed here. */
export interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
  clearMergeCache(): void
}

/** How an encoding of gpt-tokenizer counts any text, in a time that grows with its length and no faster. */
export function countWith({ countTokens, clearMergeCache }: Encoding): (text: string) => number {
  let cached = 0

  function count(text: string): number {
    // When its cache of 100,000 entries is full, the library searches the oldest among deleted ones, for each new
    // word: some ten times slower. Emptied in time, it also keeps no slice of a text, and so no text, alive.
    cached += text.length
    if (cached > 250_000) {
      clearMergeCache()
      cached = text.length
    }
    return countTokens(text, asText)
  }

  return text => countLongText(text, count)
}

/** What a user writes is text, even `<|endoftext|>`: without this the library throws. */
const asText = { disallowedSpecial: new Set<string>() }
