import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base'
import type { TokenCounter } from './counter.ts'
import { type CounterOptions, createCounter } from './create-counter.ts'
import { framings } from './framing.ts'
import { countLongText } from './long-text.ts'

/** Exact for GPT-4 and GPT-3.5, and near for Llama 3, whose tokenizer grew out of this one. */
export function cl100k({ framing = framings.openai, ...options }: CounterOptions = {}): TokenCounter {
  return createCounter({ ...options, framing, id: 'cl100k', exact: true, text: countCl100k })
}

function countCl100k(text: string): number {
  return countLongText(text, piece => countTokens(piece, asText))
}

/** What a user writes is text, even `<|endoftext|>`: without this the library throws. */
const asText = { disallowedSpecial: new Set<string>() }
