import { present } from '../../log/present.ts'
import { checkAddress } from '../check-options.ts'
import { loadClient } from '../load-client.ts'
import { type Model, ModelError } from '../model.ts'
import { readFault } from '../read-fault.ts'
import { type ServerOptions, serverModel } from '../server-model.ts'
import { toStreamError } from '../to-model-error.ts'
import { openaiFiles } from './openai-files.ts'
import { type OpenAiChunk, readParts } from './read-parts.ts'
import { readWindow } from './read-window.ts'
import { toOpenAiMessages } from './to-openai-messages.ts'
import { toOpenAiRequest } from './to-openai-request.ts'

export interface OpenAiCompatibleOptions extends ServerOptions {
  /** The address before `/chat/completions`: `http://127.0.0.1:1234/v1`. */
  readonly baseURL: string
  /** The key of that server. Default: none; for `api.openai.com` the variable OPENAI_API_KEY. */
  readonly apiKey?: string
  /** The window in tokens. Default: that of the server's list of models, if it has one. */
  readonly window?: number
}

/**
 * Makes a model of any server that speaks OpenAI's chat completions. Needs the package `openai`.
 *
 * @example
 * const model = openaiCompatible({ baseURL: 'http://127.0.0.1:8000/v1', model: 'qwen3', window: 32_768 })
 */
export function openaiCompatible(options: OpenAiCompatibleOptions): Model {
  const { model, apiKey, headers = {} } = options
  const baseURL = checkAddress('baseURL', options.baseURL)
  const isOpenAi = new URL(baseURL).hostname === 'api.openai.com'
  return serverModel(options, {
    server: sent => ({
      name: `The server at ${baseURL}`,
      model,
      notFound: 'Check the name of the model, and that "baseURL" ends where "/chat/completions" begins',
      unavailable: 'start it, or check "baseURL"',
      sent: () => [...sent(), ...(apiKey ? [apiKey] : [])],
    }),
    piece: 'event',
    async connect({ fetch }) {
      const { OpenAI } = await loadClient('openai', () => import('openai'))
      return new OpenAI({
        baseURL,
        fetch,
        // The turn retries itself: the client must not.
        maxRetries: 0,
        // The client would print lines that it cannot read.
        logLevel: 'off',
        // The client refuses to run in a browser, to protect the key; without a key it may.
        dangerouslyAllowBrowser: apiKey === undefined,
        ...(isOpenAi ? present({ apiKey }) : strangerKeys(apiKey)),
        defaultHeaders: { ...(isOpenAi || apiKey ? {} : { Authorization: null }), ...headers },
      })
    },
    files: openaiFiles,
    async findWindow(client, wire) {
      try {
        const { data } = await client.models.list()
        return readWindow(data, model)
      } catch (error) {
        const meant = wire.toError(error)
        // A server without such a list has no answer; one that is unreachable may answer later.
        const isRefusal = meant instanceof ModelError && !meant.isRetryable
        if (isRefusal || error instanceof SyntaxError) return undefined
        throw meant
      }
    },
    async *stream(client, { messages, tools, settings, server }) {
      try {
        const body = toOpenAiRequest({
          model,
          messages: toOpenAiMessages(messages),
          tools,
          settings,
          isOpenAi,
        })
        // The client's types lack what other servers take and send.
        const chunks: unknown = await client.chat.completions.create(body as never)
        yield* readParts(chunks as AsyncIterable<OpenAiChunk>, server)
      } catch (error) {
        // For an error event in the stream the client throws an error that holds the server's words.
        const said = (error as { error?: unknown } | undefined)?.error
        if (said === undefined) throw error
        throw toStreamError(server, 'failed in the middle of its answer', readFault({ error: said }))
      }
    },
  })
}

/** Servers besides OpenAI must not get OpenAI's keys and names, which the client reads from the environment. */
function strangerKeys(apiKey = 'none') {
  return { apiKey, adminAPIKey: null, organization: null, project: null }
}
