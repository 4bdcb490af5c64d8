import { checkAddress } from '../../models/check-options.ts'
import type { ModelSettings } from '../../models/model.ts'
import { readBase } from '../../models/openai/openai-compatible.ts'
import { openaiWire } from '../../models/openai/openai-wire.ts'
import { responsesWire } from '../../models/responses/responses-wire.ts'
import type { UpstreamConnectionOptions } from './connection.ts'
import { openUpstream } from './open-upstream.ts'

export interface OpenAiUpstreamOptions extends UpstreamConnectionOptions {
  /** The window of all models. Default: what the server says of each. */
  readonly window?: number
  /** Whether it has `/v1/responses` too. Default: if it is OpenAI itself. */
  readonly hasResponses?: boolean
}

/** Any server with `/v1/chat/completions`: llama.cpp, vLLM, LM Studio and others. Its address may end with `/v1`. */
export function openaiUpstream({ window, hasResponses, ...options }: OpenAiUpstreamOptions) {
  const { address, isOpenAi } = readBase(checkAddress('upstream', options.url))
  const wire = openaiWire({ option: 'upstream', base: '/v1', isOpenAi })
  const others = (hasResponses ?? isOpenAi) ? [responsesWire] : []
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
  ...['top_p', 'presence_penalty', 'frequency_penalty', 'logit_bias', 'logprobs', 'top_logprobs'],
  ...['tool_choice', 'parallel_tool_calls', 'verbosity'],
])
