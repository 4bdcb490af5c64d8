import { InvalidOptionError, refuseUnknown } from '@throughline/core/errors'
import { present } from '@throughline/core/values'
import { checkWindow, mergeSettings } from '../../check-options.ts'
import type {
  EndReason,
  Model,
  ModelPart,
  ModelRequest,
  ModelSettings,
  ModelUsage,
} from '../../model.ts'
import { ModelError, toUsage } from '../../model.ts'
import { textsOf } from '../../pair-results.ts'
import { fieldsOf } from '../../read-text.ts'
import type {
  AiSdkCall,
  AiSdkMessage,
  AiSdkMessageV4,
  AiSdkModel,
  AiSdkStreamPart,
  JsonObject,
} from './ai-sdk-model.ts'
import { toV3Prompt, toV4Prompt } from './file-forms.ts'
import { type AskedModel, toModelError } from './to-model-error.ts'
import { toPrompt } from './to-prompt.ts'

/** Options of `aiSdk`. */
export interface AiSdkOptions {
  /** The model's window in tokens, prompt and reply together. Default: unknown, as the AI SDK cannot tell; a chat takes 4096. */
  readonly window?: number
  /** The name in records of calls. Default: the model's own id. */
  readonly name?: string
  /** For every request; settings of a request win. */
  readonly settings?: ModelSettings
}

/**
 * Makes a model from any language model of the AI SDK (5, 6 and 7).
 *
 * @example
 * const model = aiSdk(openai('gpt-5-mini'), { window: 400_000 })
 */
export function aiSdk(model: AiSdkModel, options: AiSdkOptions = {}): Model {
  refuseUnknown(options, { window: 1, name: 1, settings: 1 })
  const { window, name, settings } = options
  if (typeof model?.doStream !== 'function') {
    const kind = typeof model === 'string' ? 'a text' : String(model)
    const problem = `expected a language model of the AI SDK, such as openai('…'), got ${kind}`
    throw new InvalidOptionError('model', problem)
  }
  checkWindow(window)
  const called = name ?? model.modelId
  return {
    name: called,
    window: async () => window,
    // The AI SDK knows what a provider takes, or loads it; only unreadable files are left out.
    files: { refuse: () => undefined },
    stream: request =>
      streamParts(model, called, {
        ...request,
        settings: mergeSettings(settings, request.settings),
      }),
  }
}

async function* streamParts(model: AiSdkModel, name: string, request: ModelRequest) {
  const { messages, signal } = request
  const server = { name, sent: () => textsOf(messages) }
  const call = toCall(model, request)
  signal?.throwIfAborted()
  const failed = (during: 'call' | 'stream') => (error: unknown) => {
    signal?.throwIfAborted()
    throw toModelError(error, server, during)
  }
  const open = async () => (await model.doStream(call as never)).stream.getReader()
  const reader = await open().catch(failed('call'))
  let end: ModelPart | undefined
  try {
    for (;;) {
      const { done, value } = await reader.read().catch(failed('stream'))
      if (done) break
      const part = readPart(value, server)
      if (part?.type === 'end') end = part
      else if (part) yield part
    }
  } finally {
    // A caller who stops reading stops the model too; errors of the cancelled stream do not matter.
    reader.cancel().catch(() => {})
  }
  signal?.throwIfAborted()
  if (!end)
    throw new ModelError(
      'model_stream_broken',
      `The stream of model "${name}" has no end: ask again.`,
    )
  yield end
}

/** Converts a request to the call of an AI SDK model. Absent settings stay absent, so that the provider decides. */
function toCall(
  { provider, specificationVersion }: AiSdkModel,
  { messages, tools = [], settings = {}, signal }: ModelRequest,
): AiSdkCall<AiSdkMessage | AiSdkMessageV4> {
  const { temperature, maxTokens, seed, stop, format, thinking } = settings
  const isOld = specificationVersion === 'v2' || specificationVersion === 'v3'
  const prompt = toPrompt(messages)
  const offered = tools.map(({ parameters, ...tool }) => ({
    ...{ type: 'function' as const, ...tool, inputSchema: parameters },
  }))
  const providerOptions = settings.provider as Record<string, JsonObject> | undefined
  return {
    prompt: isOld ? toV3Prompt(prompt) : toV4Prompt(prompt, provider),
    ...present({
      tools: offered.length > 0 ? offered : undefined,
      temperature,
      maxOutputTokens: maxTokens,
      seed,
      stopSequences: stop && [...stop],
      responseFormat: format && {
        type: 'json' as const,
        ...(format !== 'json' && { schema: format }),
      },
      // `true` is left to the provider: AI SDK 7 knows only how much.
      reasoning:
        isOld || thinking === true ? undefined : thinking === false ? ('none' as const) : thinking,
      providerOptions: isOld ? withEffort(providerOptions, provider, thinking) : providerOptions,
      abortSignal: signal,
    }),
  }
}

/** Until 6 there is no common setting: most providers know `reasoningEffort`. On and off is left to `settings.provider`. */
function withEffort(
  providerOptions: Record<string, JsonObject> | undefined,
  provider: string,
  thinking: ModelSettings['thinking'],
): Record<string, JsonObject> | undefined {
  if (typeof thinking !== 'string') return providerOptions
  const [name = provider] = provider.split('.')
  return { ...providerOptions, [name]: { reasoningEffort: thinking, ...providerOptions?.[name] } }
}

/** Converts a part of an AI SDK stream; undefined for parts that a turn does not need (beginnings, sources, raw chunks). */
function readPart(part: AiSdkStreamPart, server: AskedModel): ModelPart | undefined {
  switch (part.type) {
    case 'text-delta':
      return { type: 'text-delta', text: String(part.delta ?? '') }
    case 'reasoning-delta':
      return { type: 'thinking-delta', text: String(part.delta ?? '') }
    case 'tool-call': {
      // The provider ran the tool itself: no result is needed.
      if (part.providerExecuted) return undefined
      const { toolCallId, toolName, input } = part
      const json = typeof input === 'string' ? input || '{}' : JSON.stringify(input ?? {})
      return { type: 'tool-call', id: String(toolCallId), name: String(toolName), arguments: json }
    }
    case 'finish':
      return {
        type: 'end',
        reason: readReason(part.finishReason, server.name),
        usage: readUsage(part.usage),
      }
    case 'error':
      throw toModelError(part.error, server, 'stream')
    default:
      return undefined
  }
}

/** The reason is a text in AI SDK 5, and an object with the provider's own word since 6. */
function readReason(value: unknown, model: string): EndReason {
  const { unified, raw } = fieldsOf(value)
  const reason = unified ?? value
  // Some providers finish a stream that was cut off; the missing reason is how that shows.
  const hasNoReason = reason === 'unknown' || (unified === 'other' && raw === undefined)
  if (hasNoReason || reason === 'error') {
    const what = hasNoReason ? 'stopped without saying why' : 'ended with an error'
    throw new ModelError(
      'model_stream_broken',
      `The stream of model "${model}" ${what}: ask again.`,
    )
  }
  return reason === 'stop' || reason === 'length' || reason === 'tool-calls' ? reason : 'other'
}

/** Tokens are plain numbers in AI SDK 5, and objects with parts since 6. */
function readUsage(value: unknown): ModelUsage {
  const { inputTokens, outputTokens, cachedInputTokens } = fieldsOf(value)
  return toUsage({
    promptTokens: fieldsOf(inputTokens).total ?? inputTokens,
    replyTokens: fieldsOf(outputTokens).total ?? outputTokens,
    cachedTokens: fieldsOf(inputTokens).cacheRead ?? cachedInputTokens,
  })
}
