import { refuseUnknown, ThroughlineError } from '../log/error.ts'
import {
  type CounterOptions,
  counterNames,
  createCounter,
  type TokenCounter,
} from './create-counter.ts'
import { framings } from './framings.ts'
import { countLongText } from './long-text.ts'

/** Gives the counter of a table of `gpt-tokenizer`, 30 MB that only exact counts need. Awaited, so `require` cannot load it. */
export async function loadEncoding(id: string, load: () => Promise<Encoding>) {
  const text = countWith(await load().catch(refuse))
  return (options: CounterOptions = {}): TokenCounter => {
    refuseUnknown(options, counterNames)
    const { framing = framings.openai } = options
    return createCounter({ ...options, framing, id, exact: true, text })
  }
}

function refuse(cause: unknown): never {
  const message =
    'The package "gpt-tokenizer" cannot be loaded: install it with "npm install gpt-tokenizer".'
  throw new ThroughlineError('package_missing', message, { cause })
}

/** The functions of a gpt-tokenizer encoding that are used here. */
interface Encoding {
  countTokens(text: string, options: { disallowedSpecial: Set<string> }): number
  clearMergeCache(): void
}

/** Counts texts with an encoding of gpt-tokenizer, in time linear in their length. */
function countWith({ countTokens, clearMergeCache }: Encoding): (text: string) => number {
  let cached = 0

  function count(text: string): number {
    // gpt-tokenizer becomes some ten times slower when its cache of 100,000 entries is full. Clearing the cache in time
    // also frees the texts whose slices it holds.
    cached += text.length
    if (cached > 250_000) {
      clearMergeCache()
      cached = text.length
    }
    return countTokens(text, asText)
  }

  return text => countLongText(text, count)
}

/** Counts `<|endoftext|>` in a text as ordinary text; by default the library throws on it. */
const asText = { disallowedSpecial: new Set<string>() }
