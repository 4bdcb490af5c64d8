import type { MessageLike } from '../../log/message.ts'
import { askOnce } from '../ask-once.ts'
import { checkAddress, checkWindow, mergeSettings, secretsOf } from '../check-options.ts'
import { loadClient } from '../load-client.ts'
import type { Model, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { openWire, type Wire } from '../open-wire.ts'
import { textsOf } from '../pair-results.ts'
import { checkLines } from './check-lines.ts'
import { findWindow } from './find-window.ts'
import { ollamaServer } from './ollama-server.ts'
import { readParts } from './read-parts.ts'
import { toOllamaMessages } from './to-ollama-messages.ts'
import { toOllamaRequest } from './to-ollama-request.ts'

export interface OllamaOptions {
  readonly model: string
  /** In tokens. Default: that of the loaded model, else its own `num_ctx`, else 4096. Sent with every request. */
  readonly window?: number
  readonly host?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
  /** How long Ollama keeps the model in memory afterwards: `'10m'`, `-1` for ever. */
  readonly keepAlive?: string | number
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
}

/**
 * Makes a model of an Ollama server. Needs the package `ollama`.
 *
 * @example
 * const model = ollama({ model: 'llama3.2', window: 8192 })
 */
export function ollama(options: OllamaOptions): Model {
  const { model, window, host = 'http://127.0.0.1:11434', headers = {}, keepAlive, settings } = options
  checkWindow(window)
  const address = checkAddress('host', host)
  const way = options.fetch ? { fetch: options.fetch } : {}

  const serverFor = (messages: readonly MessageLike[]) =>
    ollamaServer(address, model, 'host', () => [...textsOf(messages), ...secretsOf(headers)])

  async function connect({ fetch }: Wire) {
    // The entry for browsers, because the one for Node would read an image from disk if a file has its name.
    const { Ollama } = await loadClient('ollama', () => import('ollama/browser'))
    return new Ollama({ host: address, fetch, headers: { ...headers } })
  }

  const findOnce = askOnce(async signal => {
    const wire = openWire({ ...way, server: serverFor([]), signal })
    try {
      return await findWindow(await connect(wire), model)
    } catch (error) {
      throw wire.toError(error)
    } finally {
      wire.close(true)
    }
  })

  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const { messages, tools, signal } = request
    signal?.throwIfAborted()
    const server = serverFor(messages)
    let failure: unknown
    const check = () =>
      checkLines(server, error => {
        failure = error
      })
    const wire = openWire({ ...way, server, signal, piece: 'line', check })
    let isWhole = false
    try {
      const body = toOllamaRequest({
        model,
        messages: toOllamaMessages(messages),
        tools,
        settings: mergeSettings(settings, request.settings),
        window: window ?? (await findOnce(signal)),
        keepAlive,
      })
      const client = await connect(wire)
      // The client's types lack fields that the server knows.
      const chunks = await client.chat(body as Parameters<typeof client.chat>[0] & { stream: true })
      for await (const part of readParts(chunks)) {
        isWhole = part.type === 'end'
        yield part
        if (!isWhole) signal?.throwIfAborted()
      }
    } catch (error) {
      throw wire.toError(failure ?? error)
    } finally {
      wire.close(isWhole)
    }
  }

  return {
    name: model,
    window: async signal => window ?? findOnce(signal),
    stream,
  }
}
