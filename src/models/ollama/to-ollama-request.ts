import { present } from '../../log/present.ts'
import { ModelError, type ModelSettings, type ToolSpec } from '../model.ts'
import type { OllamaMessage } from './to-ollama-messages.ts'

interface Given {
  readonly model: string
  readonly messages: OllamaMessage[]
  readonly tools?: readonly ToolSpec[] | undefined
  readonly settings: ModelSettings
  readonly window: number
  readonly keepAlive?: string | number | undefined
}

/** The body of `/api/chat`. Settings cannot override the window. */
export function toOllamaRequest({ model, messages, tools = [], settings, window, keepAlive }: Given) {
  const { temperature, maxTokens, seed, stop, format, thinking } = settings
  const { options: own, fields } = splitProvider(settings.provider)
  if (own.num_ctx !== undefined && own.num_ctx !== window) {
    throw new ModelError(
      'model_refused',
      `The settings ask for a num_ctx of ${own.num_ctx}, but the window of "${model}" is ${window}: another value would load the model again. Give ollama() the "window".`,
    )
  }
  return {
    ...present({ think: thinking, format, keep_alive: keepAlive }),
    ...fields,
    ...(tools.length > 0 && { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
    options: {
      ...present({ temperature, num_predict: maxTokens, seed, stop }),
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

/** Ollama has its options of sampling in a field of their own; others write them beside the rest. Both are read. */
function splitProvider(provider: ModelSettings['provider'] = {}) {
  const { options: nested, ...flat } = provider
  const options: Record<string, unknown> = {}
  const fields: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(flat)) (optionNames.has(name) ? options : fields)[name] = value
  return { options: { ...options, ...(nested as Readonly<Record<string, unknown>> | undefined) }, fields }
}

const optionNames: ReadonlySet<string> = new Set([
  ...['temperature', 'top_k', 'top_p', 'min_p', 'typical_p', 'seed', 'stop', 'num_predict', 'num_keep'],
  ...['repeat_last_n', 'repeat_penalty', 'presence_penalty', 'frequency_penalty'],
  ...['num_ctx', 'num_batch', 'num_gpu', 'main_gpu', 'use_mmap', 'num_thread', 'draft_num_predict'],
])
