/** Counters that know a model's own tokens. Their tables are large: each is loaded when it is asked for. */
export const exactCounters = {
  o200k: async () => (await import('./o200k.ts')).o200k,
  cl100k: async () => (await import('./cl100k.ts')).cl100k,
  tokenizerJson: async () => (await import('./tokenizer-json.ts')).tokenizerJson,
}
