import { InvalidOptionError } from '../../log/error.ts'
import { checkWindow, mergeSettings } from '../check-options.ts'
import type { Model, ModelPart, ModelRequest, ModelSettings } from '../model.ts'
import { ModelError } from '../model-error.ts'
import { textsOf } from '../pair-results.ts'
import type { AiSdkModel } from './ai-sdk-model.ts'
import { readPart } from './read-part.ts'
import { toCall } from './to-call.ts'
import { toModelError } from './to-model-error.ts'

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
  const reader = await open()
  let end: ModelPart | undefined
  try {
    for (;;) {
      const { done, value } = await next()
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

  async function open() {
    try {
      return (await model.doStream(call as never)).stream.getReader()
    } catch (error) {
      signal?.throwIfAborted()
      throw toModelError(error, asked, 'call')
    }
  }

  async function next() {
    try {
      return await reader.read()
    } catch (error) {
      signal?.throwIfAborted()
      throw toModelError(error, asked, 'stream')
    }
  }
}
