import { InvalidOptionError } from '../../log/error.ts'
import { present } from '../../log/present.ts'
import { checkWindow, mergeSettings } from '../check-options.ts'
import type { Model, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { ModelError } from '../model-error.ts'
import { textsOf } from '../pair-results.ts'
import type { AiSdkCall, AiSdkModel, JsonObject } from './ai-sdk-model.ts'
import { readPart } from './read-part.ts'
import { toModelError } from './to-model-error.ts'
import { toPrompt } from './to-prompt.ts'

export interface AiSdkOptions {
  /** The model's window in tokens, prompt and reply together: the AI SDK does not know it. */
  readonly window?: number
  /** Default: the model's own id. */
  readonly name?: string
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
}

/**
 * Makes a model from any language model of the AI SDK (5 and 6).
 *
 * @example
 * const model = aiSdk(openai('gpt-5-mini'), { window: 400_000 })
 */
export function aiSdk(model: AiSdkModel, { window, name, settings }: AiSdkOptions = {}): Model {
  if (typeof model?.doStream !== 'function') {
    const given = typeof model === 'string' ? 'a text' : String(model)
    throw new InvalidOptionError(
      'model',
      `expected a language model of the AI SDK, such as openai('…'), got ${given}`,
    )
  }
  checkWindow(window)
  const called = name ?? model.modelId
  return {
    name: called,
    window: async () => window,
    stream: request =>
      streamParts(model, called, { ...request, settings: mergeSettings(settings, request.settings) }),
  }
}

async function* streamParts(
  model: AiSdkModel,
  name: string,
  request: ModelRequest,
): AsyncGenerator<ModelPart> {
  const { messages, signal } = request
  const asked = { name, sent: () => textsOf(messages) }
  const call = toCall(model, request)
  signal?.throwIfAborted()
  const failed = (during: 'call' | 'stream') => (error: unknown) => {
    signal?.throwIfAborted()
    throw toModelError(error, asked, during)
  }
  const open = async () => (await model.doStream(call as never)).stream.getReader()
  const reader = await open().catch(failed('call'))
  let end: ModelPart | undefined
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(failed('stream'))
      if (done) break
      const part = readPart(value, asked)
      if (part?.type === 'end') end = part
      else if (part) yield part
    }
  } finally {
    // A caller who stops reading stops the model too; errors of the cancelled stream do not matter.
    reader.cancel().catch(() => {})
  }
  signal?.throwIfAborted()
  if (!end) {
    throw new ModelError('model_stream_broken', `The stream of model "${name}" has no end: ask again.`)
  }
  yield end
}

/** Converts a request to the call of an AI SDK model. Absent settings stay absent, so that the provider decides. */
function toCall(
  { provider }: AiSdkModel,
  { messages, tools = [], settings = {}, signal }: ModelRequest,
): AiSdkCall {
  const { temperature, maxTokens, seed, stop, format } = settings
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function' as const,
    name,
    ...present({ description }),
    inputSchema: parameters,
  }))
  return {
    prompt: toPrompt(messages),
    ...(offered.length > 0 && { tools: offered }),
    ...present({
      temperature,
      maxOutputTokens: maxTokens,
      seed,
      stopSequences: stop && [...stop],
      responseFormat: format && { type: 'json' as const, ...(format !== 'json' && { schema: format }) },
      providerOptions: providerOptionsOf(provider, settings),
      abortSignal: signal,
    }),
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
  return { ...own, [name]: { reasoningEffort: thinking, ...own?.[name] } }
}
