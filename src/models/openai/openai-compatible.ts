import type { MessageLike } from '../../log/message.ts'
import { askOnce } from '../ask-once.ts'
import { checkAddress, checkWindow, mergeSettings, secretsOf } from '../check-options.ts'
import type { Model, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { ModelError } from '../model-error.ts'
import { openWire } from '../open-wire.ts'
import { textsOf } from '../pair-results.ts'
import { readFault } from '../read-fault.ts'
import { type Server, toStreamError } from '../to-model-error.ts'
import { connect } from './connect.ts'
import { type OpenAiChunk, readParts } from './read-parts.ts'
import { readWindow } from './read-window.ts'
import { toOpenAiMessages } from './to-openai-messages.ts'
import { toOpenAiRequest } from './to-openai-request.ts'

export interface OpenAiCompatibleOptions {
  /** The address before `/chat/completions`: `http://127.0.0.1:1234/v1`. */
  readonly baseURL: string
  readonly model: string
  readonly apiKey?: string
  /** In tokens. Default: that of the server's list of models, if it has one. */
  readonly window?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly fetch?: typeof globalThis.fetch
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
}

/**
 * Makes a model of any server that speaks OpenAI's chat completions. Needs the package `openai`.
 *
 * @example
 * const model = openaiCompatible({ baseURL: 'http://127.0.0.1:8000/v1', model: 'qwen3', window: 32_768 })
 */
export function openaiCompatible(options: OpenAiCompatibleOptions): Model {
  const { model, apiKey, window, headers = {}, settings } = options
  checkWindow(window)
  const baseURL = checkAddress('baseURL', options.baseURL)
  const isOpenAi = new URL(baseURL).hostname === 'api.openai.com'
  const way = options.fetch ? { fetch: options.fetch } : {}
  const access = { baseURL, headers, apiKey, isOpenAi }

  const serverFor = (messages: readonly MessageLike[]): Server => ({
    name: `The server at ${baseURL}`,
    model,
    notFound: 'Check the name of the model, and that "baseURL" ends where "/chat/completions" begins',
    unavailable: 'start it, or check "baseURL"',
    sent: () => [...textsOf(messages), ...secretsOf(headers), ...(apiKey ? [apiKey] : [])],
  })

  const findOnce = askOnce(async signal => {
    const wire = openWire({ ...way, server: serverFor([]), signal })
    try {
      const client = await connect(access, wire)
      const { data } = await client.models.list()
      return readWindow(data, model)
    } catch (error) {
      const meant = wire.toError(error)
      // A server without such a list has no answer; one that is unreachable may answer later.
      const isRefusal = meant instanceof ModelError && !meant.isRetryable && meant.code !== 'client_missing'
      if (isRefusal || error instanceof SyntaxError) return undefined
      throw meant
    } finally {
      wire.close(true)
    }
  })

  async function* stream(request: ModelRequest): AsyncGenerator<ModelPart> {
    const { messages, tools, signal } = request
    signal?.throwIfAborted()
    const server = serverFor(messages)
    const wire = openWire({ ...way, server, signal, piece: 'event' })
    let isWhole = false
    try {
      const body = toOpenAiRequest({
        model,
        messages: toOpenAiMessages(messages),
        tools,
        settings: mergeSettings(settings, request.settings),
        isOpenAi,
      })
      const client = await connect(access, wire)
      // The client's types lack what other servers take and send.
      const chunks: unknown = await client.chat.completions.create(body as never)
      for await (const part of readParts(chunks as AsyncIterable<OpenAiChunk>, server)) {
        isWhole = part.type === 'end'
        yield part
        if (!isWhole) signal?.throwIfAborted()
      }
    } catch (error) {
      // For an error event in the stream the client throws an error that holds the server's words.
      const said = (error as { error?: unknown } | undefined)?.error
      const problem = 'failed in the middle of its answer'
      throw wire.toError(
        said === undefined ? error : toStreamError(server, problem, readFault({ error: said })),
      )
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
