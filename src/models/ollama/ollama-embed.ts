import { isObject } from '../../log/parse-json.ts'
import { checkAddress, secretsOf } from '../check-options.ts'
import type { Embedder } from '../embedder.ts'
import { openWire } from '../open-wire.ts'
import { toStreamError } from '../to-model-error.ts'
import type { OllamaOptions } from './ollama.ts'
import { ollamaServer } from './ollama-server.ts'

/** The address, the headers and `keepAlive` are those of `ollama`. */
export type OllamaEmbedOptions = Pick<OllamaOptions, 'model' | 'host' | 'headers' | 'fetch' | 'keepAlive'>

/**
 * Makes an embedder of an Ollama server, for `createHistory({ embed })`. Needs no package. Throws a ModelError.
 *
 * @example
 * const embed = ollamaEmbed({ model: 'nomic-embed-text' })
 */
export function ollamaEmbed({
  model,
  headers = {},
  fetch,
  keepAlive,
  ...options
}: OllamaEmbedOptions): Embedder {
  const host = checkAddress('host', options.host ?? 'http://127.0.0.1:11434')
  return {
    model,
    async embed(texts, { signal }) {
      const server = ollamaServer(host, model, 'host', () => [...texts, ...secretsOf(headers)])
      const wire = openWire({ server, fetch, signal })
      let isWhole = false
      try {
        const response = await wire.fetch(`${host}/api/embed`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...headers },
          body: JSON.stringify({ model, input: texts, truncate: true, keep_alive: keepAlive }),
        })
        const answer: unknown = await response.json()
        isWhole = true
        const vectors = isObject(answer) ? answer.embeddings : undefined
        if (!Array.isArray(vectors)) throw toStreamError(server, 'sent no vectors')
        return vectors
      } catch (error) {
        throw wire.toError(error)
      } finally {
        wire.close(isWhole)
      }
    },
  }
}
