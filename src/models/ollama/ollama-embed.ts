import { isObject } from '../../log/parse-json.ts'
import { refuseUnknown } from '../../log/refuse-unknown.ts'
import type { Embedder } from '../embedder.ts'
import { toStreamError } from '../to-model-error.ts'
import { askJson } from '../wire/ask.ts'
import { type OllamaOptions, ollamaConnection } from './ollama.ts'
import { ollamaWire } from './ollama-wire.ts'

/** The address, the headers and `keepAlive` are those of `ollama`. */
export type OllamaEmbedOptions = Pick<OllamaOptions, 'model' | 'host' | 'headers' | 'fetch' | 'keepAlive'>

/**
 * Makes an embedder of an Ollama server, for `createHistory({ embed })`. Throws a ModelError.
 *
 * @example
 * const embed = ollamaEmbed({ model: 'nomic-embed-text' })
 */
export function ollamaEmbed(options: OllamaEmbedOptions): Embedder {
  refuseUnknown(options, { model: 1, host: 1, headers: 1, fetch: 1, keepAlive: 1 })
  const { model, keepAlive, ...place } = options
  const connection = ollamaConnection(place)
  const described = ollamaWire({ option: 'host' }).describe(connection.address, model)
  return {
    model,
    async embed(texts, { signal }) {
      const server = { ...described, model, sent: () => [...texts, ...connection.secrets()] }
      const body = { model, input: texts, truncate: true, keep_alive: keepAlive }
      const answer = await askJson(connection, server, { path: '/api/embed', body, signal }, false)
      const vectors = isObject(answer) ? answer.embeddings : undefined
      if (!Array.isArray(vectors)) throw toStreamError(server, 'sent no vectors')
      return vectors
    },
  }
}
