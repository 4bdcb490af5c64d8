import { type CounterOptions, createCounter, type TokenCounter } from './create-counter.ts'
import { framings } from './framings.ts'
import { loadEncoding } from './load-encoding.ts'
import { countWith } from './long-text.ts'

/** Exact for GPT-4o, GPT-4.1, GPT-5, the o models and gpt-oss (with `framings.harmony`). */
export const o200k = ({ framing = framings.openai, ...options }: CounterOptions = {}): TokenCounter =>
  createCounter({ ...options, framing, id: 'o200k', exact: true, text })

const text = countWith(await loadEncoding(() => import('gpt-tokenizer/encoding/o200k_base')))
