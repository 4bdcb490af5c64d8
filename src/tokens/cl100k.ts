import { type CounterOptions, createCounter, type TokenCounter } from './create-counter.ts'
import { framings } from './framings.ts'
import { loadEncoding } from './load-encoding.ts'
import { countWith } from './long-text.ts'

/** Exact for GPT-4 and GPT-3.5, and near for Llama 3, whose tokenizer grew out of this one. */
export const cl100k = ({ framing = framings.openai, ...options }: CounterOptions = {}): TokenCounter =>
  createCounter({ ...options, framing, id: 'cl100k', exact: true, text })

const text = countWith(await loadEncoding(() => import('gpt-tokenizer/encoding/cl100k_base')))
