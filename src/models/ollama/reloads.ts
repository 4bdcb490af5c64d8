/** The options of Ollama that load a model again. The last ones are of older servers. */
export const reloads: ReadonlySet<string> = new Set([
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'num_thread', 'use_mmap', 'draft_num_predict'],
  ...['numa', 'low_vram', 'f16_kv', 'vocab_only', 'use_mlock'],
])
