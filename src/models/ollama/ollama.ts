import { checkAddress } from '../check-options.ts'
import { loadClient } from '../load-client.ts'
import type { Model } from '../model.ts'
import { type ServerOptions, serverModel } from '../server-model.ts'
import { checkLines } from './check-lines.ts'
import { findWindow } from './find-window.ts'
import { ollamaFiles } from './ollama-files.ts'
import { ollamaServer } from './ollama-server.ts'
import { readParts } from './read-parts.ts'
import { toOllamaMessages } from './to-ollama-messages.ts'
import { toOllamaRequest } from './to-ollama-request.ts'

export interface OllamaOptions extends ServerOptions {
  /** The window in tokens, sent with every request. Default: that of the loaded model, else its own `num_ctx`, else 4096. */
  readonly window?: number
  /** The address, without user and password: those go into `headers`. Default `http://127.0.0.1:11434`. */
  readonly host?: string
  /** How long Ollama keeps the model in memory afterwards: `'10m'`, `-1` for ever. Default: Ollama's own, five minutes. */
  readonly keepAlive?: string | number
}

/**
 * Makes a model of an Ollama server. Needs the package `ollama`.
 *
 * @example
 * const model = ollama({ model: 'llama3.2', window: 8192 })
 */
export function ollama(options: OllamaOptions): Model {
  const { model, headers, keepAlive } = options
  const host = checkAddress('host', options.host ?? 'http://127.0.0.1:11434')
  return serverModel(options, {
    server: sent => ollamaServer(host, model, 'host', sent),
    piece: 'line',
    check: checkLines,
    async connect({ fetch }) {
      // The entry for browsers, because the one for Node would read an image from disk if a file has its name.
      const { Ollama } = await loadClient('ollama', () => import('ollama/browser'))
      return new Ollama({ host, fetch, headers: { ...headers } })
    },
    files: ask => ollamaFiles(signal => ask(client => client.show({ model }), signal)),
    findWindow: client => findWindow(client, model),
    async *stream(client, { messages: given, tools, settings, window: find }) {
      const messages = toOllamaMessages(given)
      const window = await find()
      const body = toOllamaRequest({ model, messages, tools, settings, window, keepAlive })
      // The client's types lack fields that the server knows.
      yield* readParts(await client.chat(body as Parameters<typeof client.chat>[0] & { stream: true }))
    },
  })
}
