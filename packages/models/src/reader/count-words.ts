import { createCounter, type TokenCounter } from '@throughline/core/counters'

/**
 * Counts the reader's own tokens: words, numbers and every other character but white space. For those of other models pass `count`.
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
