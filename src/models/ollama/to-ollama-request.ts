import { present } from '../check-options.ts'
import type { ModelSettings, ToolSpec } from '../model.ts'
import { ModelError } from '../model-error.ts'
import type { OllamaMessage } from './to-ollama-messages.ts'

export interface OllamaRequest {
  model: string
  messages: OllamaMessage[]
  stream: true
  [key: string]: unknown
}

interface Given {
  readonly model: string
  readonly messages: OllamaMessage[]
  readonly tools?: readonly ToolSpec[] | undefined
  readonly settings: ModelSettings
  readonly window: number
  readonly keepAlive?: string | number | undefined
}

/** The body of `/api/chat`. Settings cannot override the window. */
export function toOllamaRequest(given: Given): OllamaRequest {
  const { model, messages, tools = [], settings, window, keepAlive } = given
  const { options, ...provider } = settings.provider ?? {}
  const own = (options ?? {}) as Readonly<Record<string, unknown>>
  if (own.num_ctx !== undefined && own.num_ctx !== window) {
    throw new ModelError(
      'model_refused',
      `The settings ask for a num_ctx of ${own.num_ctx}, but the window of "${model}" is ${window}: another value would load the model again. Give ollama() the "window".`,
    )
  }
  return {
    ...present({ think: settings.thinking, format: settings.format, keep_alive: keepAlive }),
    ...provider,
    ...(tools.length === 0 ? {} : { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
    options: {
      ...present({
        temperature: settings.temperature,
        num_predict: settings.maxTokens,
        seed: settings.seed,
        stop: settings.stop,
      }),
      ...own,
      // Without it the server uses its own default, and cuts a prompt that was fitted for another window.
      num_ctx: window,
    },
    // By default Ollama silently cuts a prompt that is too long, and drops its beginning while it writes.
    truncate: false,
    shift: false,
    model,
    messages,
    stream: true,
  }
}
