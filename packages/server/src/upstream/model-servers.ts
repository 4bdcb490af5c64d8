import {
  answersResponses,
  anthropicVersion,
  anthropicWire,
  ollamaWire,
  openaiWire,
  readBase,
  reloads,
  responsesWire,
} from '@throughline/models/dialects'
import { checkAddress, checkWindow, type ModelSettings } from '@throughline/models/model'
import { type Ask, askJson, openServer, type ServerSetup } from '@throughline/models/wire'
import { openConnection, type UpstreamConnectionOptions } from './connection.ts'
import type { Upstream } from './upstream.ts'

export interface ModelServerOptions extends UpstreamConnectionOptions {
  /** The window of all models (Ollama: unloaded ones). Default: as the server says, else 4096 (Ollama) or 200,000 (Anthropic). */
  readonly window?: number
  /**
   * How requests for Responses reach a server of OpenAI's kind: `native` as they came, `converted` as chats. `auto`: as they came
   * where the server has `/v1/responses`, and as chats if it refuses kinds of tools there that are no plain functions. Default
   * `auto`.
   */
  readonly responses?: ResponsesWay
  /** Whether requests to Anthropic that are not the client's own get marks for the cache. Default true. */
  readonly cacheMarks?: boolean
}

export type ResponsesWay = 'auto' | 'native' | 'converted'

export function ollamaUpstream({ window, ...options }: ModelServerOptions) {
  checkWindow(window)
  const wire = ollamaWire({ option: 'upstream', unloaded: window })
  return openUpstream('ollama', options, { wire, settings: withoutReloads })
}

function withoutReloads(settings: ModelSettings): ModelSettings {
  const { options, ...flat } = settings.provider ?? {}
  return { ...settings, provider: { ...strip(flat), options: strip(options ?? {}) } }
}

function strip(values: object): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => !reloads.has(name)))
}

/** Any server with `/v1/chat/completions`: llama.cpp, vLLM, LM Studio and others. Its address may end with `/v1`. */
export function openaiUpstream({ window, responses = 'auto', ...options }: ModelServerOptions) {
  const { address, isOpenAi } = readBase(checkAddress('upstream', options.url))
  const wire = openaiWire({ option: 'upstream', base: '/v1', isOpenAi })
  const isAsked = responses === 'auto' && !isOpenAi
  const isSpoken = async (ask: Ask, signal: AbortSignal) =>
    isAsked ? answersResponses(ask, signal) : responses !== 'converted'
  const others = [{ wire: responsesWire, isSpoken, mayConvert: isAsked }]
  const settings = (modelSettings: ModelSettings) => withoutStrangers(modelSettings, isOpenAi)
  return openUpstream('openai', { ...options, url: address }, { wire, others, window, settings })
}

/** Settings without what only Ollama knows; OpenAI itself refuses every name but its own. */
function withoutStrangers(settings: ModelSettings, isOpenAi: boolean): ModelSettings {
  const isKnown = (name: string) => (isOpenAi ? openAiNames.has(name) : !ollamaNames.has(name))
  const provider = Object.entries(settings.provider ?? {}).filter(([name]) => isKnown(name))
  return { ...settings, provider: Object.fromEntries(provider) }
}

const ollamaNames: ReadonlySet<string> = new Set(['keep_alive', 'num_keep', 'options'])

const openAiNames: ReadonlySet<string> = new Set([
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'logit_bias',
  'logprobs',
  'top_logprobs',
  'tool_choice',
  'parallel_tool_calls',
  'verbosity',
])

/** Anthropic's API, or another server with `/v1/messages`. Its address may end with `/v1`. */
export function anthropicUpstream({ window, cacheMarks, ...options }: ModelServerOptions) {
  const connection: UpstreamConnectionOptions = {
    ...options,
    url: options.url.replace(/\/+$/, '').replace(/\/v1$/, ''),
    keyScheme: 'x-api-key',
    headers: { 'anthropic-version': anthropicVersion, ...options.headers },
  }
  const wire = anthropicWire({ option: 'upstream', cacheMarks })
  return openUpstream('anthropic', connection, { wire, window })
}

/** An upstream by its address and its wires. */
function openUpstream(
  kind: Upstream['kind'],
  options: UpstreamConnectionOptions,
  setup: Omit<ServerSetup, 'connection'>,
): Upstream {
  const connection = openConnection(options)
  const { server, ...models } = openServer({ ...setup, connection })
  const { address, isKeyed, pass, close } = connection
  return {
    kind,
    address,
    isKeyed,
    ...models,
    close,
    ask: (question, isFact) => askJson(connection, server, question, isFact),
    pass: request => pass(request, server),
  }
}
