import { readFile } from 'node:fs/promises'
import { InvalidOptionError } from '../log/error.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { estimate } from '../tokens/estimate.ts'
import { framingFor } from '../tokens/framings.ts'

/** The counter that `--count` names. Tokenizers are large: only the one that is asked for is loaded. */
export async function chooseCounter(name: string, model: string | undefined): Promise<TokenCounter> {
  const options = model === undefined ? {} : { framing: framingFor(model) }
  switch (name) {
    case 'estimate':
      return estimate(options)
    case 'o200k':
      return (await import('../tokens/o200k.ts')).o200k(options)
    case 'cl100k':
      return (await import('../tokens/cl100k.ts')).cl100k(options)
    default: {
      if (!name.endsWith('.json')) {
        throw new InvalidOptionError(
          'count',
          `expected estimate, o200k, cl100k or a tokenizer.json, got "${name}"`,
        )
      }
      const { tokenizerJson } = await import('../tokens/tokenizer-json.ts')
      return tokenizerJson(JSON.parse(await readFile(name, 'utf8')), options)
    }
  }
}
