import type { TokenCounter } from '../../tokens/counter.ts'
import { createCounter } from '../../tokens/create-counter.ts'

/**
 * The reader's own tokens: a word is one, a number is one, and every other sign that is no white space. It is no
 * tokenizer of any model; give `reader` another `count` to be measured by one.
 *
 * @example
 * countWords('My code is 4471.') // 5
 */
export function countWords(text: string): number {
  return text.match(/[\p{L}\p{M}]+|\p{N}+|[^\s\p{L}\p{M}\p{N}]/gu)?.length ?? 0
}

/** Counts whole prompts: 4 tokens around each message, nothing else is added. */
export function promptCounter(count: (text: string) => number): TokenCounter {
  const framing = { name: 'reader', message: 4, call: 0, result: 0, tool: 0, tools: 0, prompt: 0 }
  return createCounter({ id: 'reader', exact: true, text: count, framing })
}
