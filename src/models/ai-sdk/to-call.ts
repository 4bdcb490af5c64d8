import type { ModelRequest, ModelSettings } from '../model.ts'
import type { AiSdkCall, AiSdkModel, JsonObject } from './ai-sdk-model.ts'
import { toPrompt } from './to-prompt.ts'

/** Converts a request to the call of an AI SDK model. Absent settings stay absent, so that the provider decides. */
export function toCall(
  { provider }: Pick<AiSdkModel, 'provider'>,
  { messages, tools = [], settings = {}, signal }: ModelRequest,
): AiSdkCall {
  const { temperature, maxTokens, seed, stop, format } = settings
  const providerOptions = providerOptionsOf(provider, settings)
  return {
    prompt: toPrompt(messages),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, parameters }) => ({
            type: 'function' as const,
            name,
            ...(description === undefined ? {} : { description }),
            inputSchema: parameters,
          })),
        }
      : {}),
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { maxOutputTokens: maxTokens }),
    ...(seed === undefined ? {} : { seed }),
    ...(stop === undefined ? {} : { stopSequences: [...stop] }),
    ...(format === undefined
      ? {}
      : { responseFormat: format === 'json' ? { type: 'json' } : { type: 'json', schema: format } }),
    ...(providerOptions === undefined ? {} : { providerOptions }),
    ...(signal === undefined ? {} : { abortSignal: signal }),
  }
}

/**
 * The AI SDK has no common setting for thinking. Most providers have `reasoningEffort`, and ignore unknown options.
 * Switching thinking on or off differs from provider to provider, and is left to `settings.provider`.
 */
function providerOptionsOf(
  provider: string,
  { thinking, provider: given }: ModelSettings,
): Record<string, JsonObject> | undefined {
  const own = given as Record<string, JsonObject> | undefined
  if (typeof thinking !== 'string') return own && Object.keys(own).length > 0 ? own : undefined
  const [name = provider] = provider.split('.')
  return { ...own, [name]: { reasoningEffort: thinking === 'max' ? 'xhigh' : thinking, ...own?.[name] } }
}
