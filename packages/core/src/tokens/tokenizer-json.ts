import { Tokenizer } from '@huggingface/tokenizers'
import { refuseUnknown, ThroughlineError } from '../log/error.ts'
import { hashOf } from '../log/hash-text.ts'
import {
  type CounterOptions,
  counterNames,
  createCounter,
  type TokenCounter,
} from './create-counter.ts'

/** Options of `tokenizerJson`. */
export interface TokenizerJsonOptions extends CounterOptions {
  /** The parsed `tokenizer_config.json`: few tokenizers need it to count. */
  readonly config?: object
}

/**
 * An exact counter from the parsed `tokenizer.json` of a model on Hugging Face. Marks that the tokenizer adds around a
 * text are not counted: the framing counts them.
 *
 * @example
 * const counter = tokenizerJson(JSON.parse(await readFile('tokenizer.json', 'utf8')), { framing: framingFor('qwen3:8b') })
 */
export function tokenizerJson(json: unknown, given: TokenizerJsonOptions = {}): TokenCounter {
  refuseUnknown(given, { ...counterNames, config: 1 })
  const { config = {}, ...options } = given
  const tokenizer = createTokenizer(json, config)
  const count = (text: string): number =>
    tokenizer.tokenize(text, { add_special_tokens: false }).length
  // A short hash is enough to tell the few tokenizers of an application apart.
  const id = `tokenizer-${hashOf(JSON.stringify([json, config]))
    .toString(16)
    .padStart(8, '0')}`
  return createCounter({ ...options, id, exact: true, text: count })
}

function createTokenizer(json: unknown, config: object): Tokenizer {
  if (typeof json !== 'object' || json === null)
    throw invalid(`${json === null ? 'null' : typeof json} is no object`)
  if (!('model' in json) || typeof json.model !== 'object' || json.model === null)
    throw invalid('it has no "model"')
  if (!('vocab' in json.model)) throw invalid('its "model" has no "vocab"')
  try {
    const tokenizer = new Tokenizer(json, config)
    tokenizer.tokenize('a b')
    return tokenizer
  } catch (error) {
    throw invalid(error instanceof Error ? error.message : String(error), error)
  }
}

function invalid(problem: string, cause?: unknown): ThroughlineError {
  return new ThroughlineError(
    'invalid_tokenizer',
    `This is not a tokenizer.json of Hugging Face: ${problem}. Pass the parsed content of the file.`,
    { cause },
  )
}
