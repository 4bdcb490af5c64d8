import { loadEncoding } from './load-encoding.ts'

/** Exact for GPT-4 and GPT-3.5, and near for Llama 3, whose tokenizer grew out of this one. */
export const cl100k = await loadEncoding(
  'cl100k',
  () => import('gpt-tokenizer/encoding/cl100k_base'),
)
