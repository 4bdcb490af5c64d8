import { present } from '../../log/present.ts'
import type { ModelSettings, ToolSpec } from '../model.ts'
import type { OpenAiMessage } from './to-openai-messages.ts'

interface Given {
  readonly model: string
  readonly messages: OpenAiMessage[]
  readonly tools?: readonly ToolSpec[] | undefined
  readonly settings: ModelSettings
  /** OpenAI itself has newer names for some fields than compatible servers. */
  readonly isOpenAi: boolean
}

/** The body of `/chat/completions`. */
export function toOpenAiRequest({ model, messages, tools = [], settings, isOpenAi }: Given) {
  const { temperature, maxTokens, seed, stop, format, thinking, provider } = settings
  return {
    ...present({
      temperature,
      [isOpenAi ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
      seed,
      stop,
      response_format: toResponseFormat(format),
      reasoning_effort: toEffort(thinking),
    }),
    ...(tools.length > 0 && { tools: tools.map(tool => ({ type: 'function', function: tool })) }),
    stream_options: { include_usage: true },
    ...provider,
    model,
    messages,
    stream: true,
  }
}

function toResponseFormat(format: ModelSettings['format']): unknown {
  if (format === undefined) return undefined
  if (format === 'json') return { type: 'json_object' }
  return { type: 'json_schema', json_schema: { name: 'reply', schema: format, strict: true } }
}

/** The reasoning effort. `true` has no word: such models think by default. */
function toEffort(thinking: ModelSettings['thinking']): string | undefined {
  if (thinking === false) return 'none'
  if (thinking === true) return undefined
  return thinking === 'max' ? 'xhigh' : thinking
}
