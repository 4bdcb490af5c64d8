import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import type { TokenCounter } from './counter.ts'
import { type CounterOptions, createCounter } from './create-counter.ts'
import { framings } from './framing.ts'
import { countLongText } from './long-text.ts'

/** Exact for GPT-4o, GPT-4.1, GPT-5, the o models and gpt-oss (with `framings.harmony`). */
export function o200k({ framing = framings.openai, ...options }: CounterOptions = {}): TokenCounter {
  return createCounter({ ...options, framing, id: 'o200k', exact: true, text: countO200k })
}

function countO200k(text: string): number {
  return countLongText(text, piece => countTokens(piece, asText))
}

/** What a user writes is text, even `<|endoftext|>`: without this the library throws. */
const asText = { disallowedSpecial: new Set<string>() }
