import { refuseUnknown } from '@throughline/core/errors'
import type { Embedder } from '@throughline/core/recall'
import { isObject } from '@throughline/core/values'
import { checkAddress, type ServedModelOptions, servedNames } from '../../check-options.ts'
import type { Model } from '../../model.ts'
import { toStreamError } from '../../to-model-error.ts'
import { askJson } from '../../wire/ask.ts'
import type { ServerConnection } from '../../wire/connection.ts'
import { fetchConnection } from '../../wire/fetch-connection.ts'
import { openModel } from '../../wire/open-server.ts'
import { ollamaWire } from './wire.ts'

/** Options of `ollama`. */
export interface OllamaOptions extends ServedModelOptions {
  /** The address, without user and password: those go into `headers`. Default `http://127.0.0.1:11434`. */
  readonly host?: string
  /** How long Ollama keeps the model in memory afterwards: `'10m'`, `-1` for ever. Default: Ollama's own, five minutes. */
  readonly keepAlive?: string | number
  /** The window in tokens, sent with every request. Default: that of the loaded model, else its own `num_ctx`. */
  readonly window?: number
}

/**
 * Makes a model of an Ollama server.
 *
 * @example
 * const model = ollama({ model: 'llama3.2', window: 8192 })
 */
export function ollama(options: OllamaOptions): Model {
  refuseUnknown(options, { ...servedNames, host: 1, keepAlive: 1 })
  return openModel(ollamaWire({ option: 'host', ...options }), ollamaConnection(options), options)
}

function ollamaConnection({
  host,
  headers = {},
  fetch,
}: Pick<OllamaOptions, 'host' | 'headers' | 'fetch'>): ServerConnection {
  const address = checkAddress('host', host ?? 'http://127.0.0.1:11434')
  return fetchConnection({ address, headers: () => headers, fetch })
}

/** The address, the headers and `keepAlive` are those of `ollama`. */
export type OllamaEmbedOptions = Pick<
  OllamaOptions,
  'model' | 'host' | 'headers' | 'fetch' | 'keepAlive'
>

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
