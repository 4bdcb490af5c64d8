import { readFile } from 'node:fs/promises'
import { InvalidOptionError } from '../log/error.ts'
import type { TokenCounter } from '../tokens/counter.ts'
import { estimate } from '../tokens/estimate.ts'
import { framingFor } from '../tokens/framings.ts'
import { UserError } from './user-error.ts'

/** The counter that `--count` names. Tokenizers are large, so only that one is loaded. */
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
      return tokenizerJson(await readJson(name), options)
    }
  }
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw new UserError(`${file}: cannot be read as JSON (${(error as Error).message})`)
  }
}
