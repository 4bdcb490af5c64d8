import { present } from '../../log/present.ts'
import { checkWindow, isWindow } from '../../models/check-options.ts'
import { ifKnown } from '../../models/if-known.ts'
import { hasFiles } from '../../models/leave-out.ts'
import type { ModelSettings } from '../../models/model.ts'
import { openaiFiles } from '../../models/openai/openai-files.ts'
import { chunkReader, type OpenAiChunk } from '../../models/openai/read-parts.ts'
import { type ListedModel, readWindow, windowOf } from '../../models/openai/read-window.ts'
import { toOpenAiMessages } from '../../models/openai/to-openai-messages.ts'
import { toOpenAiRequest } from '../../models/openai/to-openai-request.ts'
import { textsOf } from '../../models/pair-results.ts'
import type { Server } from '../../models/to-model-error.ts'
import { type ConnectionOptions, openConnection } from './connection.ts'
import { promptCounter } from './count-prompt.ts'
import { fileMemory } from './file-memory.ts'
import { eventReader } from './read-events.ts'
import { type PartReader, streamParts } from './stream-parts.ts'
import type { Hear, Upstream } from './upstream.ts'
import { windowMemory } from './window-memory.ts'

export interface OpenAiUpstreamOptions extends ConnectionOptions {
  /** The window of all models. Default: what the server says of each. */
  readonly window?: number
}

/** Any server with `/v1/chat/completions`: llama.cpp, vLLM, LM Studio and others. Its address may end with `/v1`. */
export function openaiUpstream({ window, ...options }: OpenAiUpstreamOptions): Upstream {
  checkWindow(window)
  const connection = openConnection({ ...options, url: options.url.replace(/\/+$/, '').replace(/\/v1$/, '') })
  const { address, secrets } = connection
  const isOpenAi = new URL(address).hostname === 'api.openai.com'
  const serverFor = (model: string, sent: () => readonly string[] = () => []): Server => ({
    name: `The server at ${address}`,
    model,
    notFound: 'Check the name: "/v1/models" lists what the server has',
    unavailable: 'start it, or check "upstream"',
    sent: () => [...sent(), ...secrets],
  })
  const facts = serverFor('')
  const ask = (path: string, signal?: AbortSignal) => connection.askFacts({ path, signal }, facts)

  const list = async (signal?: AbortSignal) => {
    const { data } = ((await ask('/v1/models', signal)) ?? {}) as { data?: unknown }
    return (Array.isArray(data) ? data : []) as readonly (ListedModel | null)[]
  }

  const windows = windowMemory(async (model, signal) => {
    if (window !== undefined) return window
    const listed = (await ifKnown(() => list(signal))) ?? []
    const told = readWindow(listed, model)
    if (told !== undefined || isOpenAi) return told
    // llama.cpp with one model answers whatever name it is called by.
    const props = listed.length > 1 ? undefined : await ifKnown(() => ask('/props', signal))
    return readProps(props) ?? readLoaded(await ifKnown(() => ask('/api/v1/models', signal)), model)
  })

  const count = promptCounter()

  const files = fileMemory(() => openaiFiles())

  return {
    kind: 'openai',
    address,

    model: (name, hear = () => {}) => ({
      name,
      window: signal => windows.of(name, signal),
      files: files.of(name),
      stream({ messages, tools, settings = {}, signal }) {
        const server = {
          ...serverFor(name, () => textsOf(messages)),
          hasFiles: () => messages.some(hasFiles),
        }
        return streamParts({
          connection,
          server,
          windows,
          files: files.of(name),
          hear,
          signal,
          question: () => ({
            path: '/v1/chat/completions',
            signal,
            body: toOpenAiRequest({
              model: name,
              messages: toOpenAiMessages(messages),
              tools,
              settings: withoutStrangers(settings, isOpenAi),
              isOpenAi,
            }),
          }),
          reader: replyReader(server, hear),
        })
      },
    }),

    async count(name, { messages, tools, signal }) {
      if (isOpenAi) return undefined
      const server = serverFor(name, () => textsOf(messages))
      const body = toOpenAiRequest({
        model: name,
        messages: toOpenAiMessages(messages),
        tools,
        settings: {},
        isOpenAi,
      })
      return count(body, (path, body) => connection.askFacts({ path, body, signal }, server))
    },

    pass: request => connection.pass(request, facts),

    models: async signal =>
      (await list(signal)).flatMap(one =>
        typeof one?.id === 'string'
          ? [{ name: one.id, ...present({ window: window ?? windowOf(one) }) }]
          : [],
      ),

    close: connection.close,
  }
}

/** Reads a reply, and tells what its chunks say beside their deltas: log probabilities, the model's name, times. */
function replyReader(server: Server, hear: Hear): PartReader {
  const events = eventReader(server)
  const reader = chunkReader(server)
  let details: Readonly<Record<string, unknown>> = {}

  function listen({ model, timings, choices }: OpenAiChunk & Extras): void {
    const { logprobs, delta } = (Array.isArray(choices) ? choices[0] : undefined) ?? {}
    if (Array.isArray(logprobs?.content) && delta?.content) hear({ logprobs: logprobs.content })
    if (typeof model === 'string' && details.model !== model) details = { ...details, model }
    if (timings) details = { ...details, ...durationsOf(timings) }
  }

  return {
    piece: 'event',
    *read(text) {
      for (const chunk of events.read(text)) {
        listen(chunk)
        yield* reader.read(chunk)
      }
    },
    isDone: events.isDone,
    end() {
      if (Object.keys(details).length > 0) hear({ details })
      return reader.end()
    },
  }
}

/** The times of llama.cpp. */
const durationsOf = (timings: NonNullable<Extras['timings']>) =>
  present({
    prompt_eval_duration: toNanoseconds(timings.prompt_ms),
    eval_duration: toNanoseconds(timings.predicted_ms),
  })

interface Extras {
  readonly model?: unknown
  readonly timings?: { readonly prompt_ms?: unknown; readonly predicted_ms?: unknown } | null
  readonly choices?: readonly {
    readonly delta?: { readonly content?: unknown }
    readonly logprobs?: { readonly content?: unknown } | null
  }[]
}

function toNanoseconds(milliseconds: unknown): number | undefined {
  const isTime = typeof milliseconds === 'number' && milliseconds >= 0 && milliseconds < 1e9
  return isTime ? Math.round(milliseconds * 1e6) : undefined
}

/** Settings without what only Ollama knows; OpenAI itself refuses every name but its own. */
function withoutStrangers(settings: ModelSettings, isOpenAi: boolean): ModelSettings {
  const isKnown = (name: string) => (isOpenAi ? openAiNames.has(name) : !ollamaNames.has(name))
  const provider = Object.entries(settings.provider ?? {}).filter(([name]) => isKnown(name))
  return { ...settings, provider: Object.fromEntries(provider) }
}

const ollamaNames: ReadonlySet<string> = new Set(['keep_alive', 'num_keep', 'options'])

const openAiNames: ReadonlySet<string> = new Set([
  ...['top_p', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['tool_choice', 'parallel_tool_calls', 'verbosity'],
])

/** llama.cpp's window of one slot. */
function readProps(props: unknown): number | undefined {
  const { default_generation_settings: settings } = (props ?? {}) as {
    default_generation_settings?: { n_ctx?: unknown } | null
  }
  return [settings?.n_ctx].find(isWindow)
}

/** LM Studio's window of a loaded model. */
function readLoaded(answer: unknown, model: string): number | undefined {
  const { models } = (answer ?? {}) as { models?: unknown }
  const list = (Array.isArray(models) ? models : []) as readonly (StudioModel | null)[]
  for (const one of list) {
    const loaded = Array.isArray(one?.loaded_instances) ? one.loaded_instances : []
    const instance = loaded.find(each => each?.id === model) ?? (one?.key === model ? loaded[0] : undefined)
    if (isWindow(instance?.config?.context_length)) return instance.config.context_length
  }
  return undefined
}

interface StudioModel {
  readonly key?: unknown
  readonly loaded_instances?: readonly ({
    readonly id?: unknown
    readonly config?: { readonly context_length?: unknown } | null
  } | null)[]
}
