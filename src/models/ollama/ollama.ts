import { refuseUnknown } from '../../log/refuse-unknown.ts'
import { checkAddress, type ServedModelOptions, servedNames } from '../check-options.ts'
import type { Model } from '../model.ts'
import type { ServerConnection } from '../wire/connection.ts'
import { fetchConnection } from '../wire/fetch-connection.ts'
import { openModel } from '../wire/open-server.ts'
import { ollamaWire } from './ollama-wire.ts'

export interface OllamaOptions extends ServedModelOptions {
  /** The address, without user and password: those go into `headers`. Default `http://127.0.0.1:11434`. */
  readonly host?: string
  /** How long Ollama keeps the model in memory afterwards: `'10m'`, `-1` for ever. Default: Ollama's own, five minutes. */
  readonly keepAlive?: string | number
  /** The window in tokens, sent with every request. Default: that of the loaded model, else its own `num_ctx`, else 4096. */
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

export function ollamaConnection({
  host,
  headers = {},
  fetch,
}: Pick<OllamaOptions, 'host' | 'headers' | 'fetch'>): ServerConnection {
  const address = checkAddress('host', host ?? 'http://127.0.0.1:11434')
  return fetchConnection({ address, headers: () => headers, fetch })
}
