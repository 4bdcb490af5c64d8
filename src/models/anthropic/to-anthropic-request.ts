import { isObject } from '../../log/parse-json.ts'
import { present } from '../../log/present.ts'
import type { ModelSettings } from '../model.ts'
import type { Prompt, WantedReply } from '../wire/wire.ts'
import { toAnthropicMessages } from './to-anthropic-messages.ts'

/** The longest reply where nobody says how long it may be: Anthropic wants to be told. */
const defaultReply = 8192

/** The body of `/v1/messages`. `window`: the reply is never asked to be longer than half of it. */
export function toAnthropicRequest({ settings, window, ...prompt }: Omit<WantedReply, 'window'> & Sized) {
  const { temperature, maxTokens, stop, format, thinking, provider = {} } = settings
  const max_tokens = maxTokens ?? Math.min(defaultReply, Math.floor(window / 2))
  const words = stop?.filter(word => word.trim() !== '')
  return {
    ...toAnthropicPrompt(prompt),
    max_tokens,
    ...present({
      // Others count up to 2.
      temperature: temperature === undefined ? undefined : Math.min(1, temperature),
      top_p: provider.top_p,
      top_k: provider.top_k,
      stop_sequences: words?.length ? words : undefined,
      output_config:
        typeof format === 'object' ? { format: { type: 'json_schema', schema: format } } : undefined,
      thinking: toThinking(thinking, max_tokens),
      tool_choice: prompt.tools.length > 0 ? toToolChoice(provider) : undefined,
    }),
    stream: true,
  }
}

interface Sized {
  readonly window: number
}

/** What the model reads: also the body of `/v1/messages/count_tokens`. */
export function toAnthropicPrompt({ model, messages, tools }: Prompt) {
  return {
    model,
    ...toAnthropicMessages(messages),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, parameters }) => ({
        ...present({ name, description }),
        input_schema: parameters,
      })),
    }),
  }
}

/** How many tokens a model may think. There is none for `true`: each model has its own way then. */
const budgets: Readonly<Record<string, number>> = { low: 2048, medium: 8192, high: 16_384, max: 32_768 }

function toThinking(thinking: ModelSettings['thinking'], most: number): object | undefined {
  if (thinking === false) return { type: 'disabled' }
  const budget = Math.min(budgets[String(thinking)] ?? 0, most - 1)
  // Anthropic takes no fewer.
  return budget >= 1024 ? { type: 'enabled', budget_tokens: budget } : undefined
}

/** The choice of tools, which comes in OpenAI's words. */
function toToolChoice({
  tool_choice: choice,
  parallel_tool_calls: parallel,
}: Readonly<Record<string, unknown>>) {
  const name = isObject(choice) && isObject(choice.function) ? choice.function.name : undefined
  const type = name === undefined ? types.get(choice) : 'tool'
  const isSingle = parallel === false && type !== 'none'
  if (type === undefined && !isSingle) return undefined
  return present({ type: type ?? 'auto', name, disable_parallel_tool_use: isSingle || undefined })
}

const types: ReadonlyMap<unknown, string> = new Map([
  ['auto', 'auto'],
  ['none', 'none'],
  ['required', 'any'],
])
