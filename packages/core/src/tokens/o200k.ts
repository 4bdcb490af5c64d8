import { loadEncoding } from './load-encoding.ts'

/** Exact for GPT-4o, GPT-4.1, GPT-5, the o models and gpt-oss (with `framings.harmony`). */
export const o200k = await loadEncoding('o200k', () => import('gpt-tokenizer/encoding/o200k_base'))
