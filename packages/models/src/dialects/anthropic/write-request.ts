import type { Fields } from '@throughline/core/fields'
import { errorsIn, type MessageLike, openingText } from '@throughline/core/messages'
import { fromBase64, isObject, present, toArguments } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import {
  type PairedMessage,
  pairResults,
  resultFiles,
  withKeptBlocks,
  writeEach,
} from '../../pair-results.ts'
import { isImage, type Media, sentFile } from '../../read-media.ts'
import type { Prompt, WantedReply } from '../../wire/wire.ts'

/** The longest reply by default: Anthropic requires a limit. */
const defaultReply = 8192

/** The body of `/v1/messages`. `window`: the reply is never asked to be longer than half of it. */
export function toAnthropicRequest({
  settings,
  window = Number.POSITIVE_INFINITY,
  ...prompt
}: Omit<WantedReply, 'window'> & { readonly window: number | undefined }) {
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
        typeof format === 'object'
          ? { format: { type: 'json_schema', schema: format } }
          : undefined,
      thinking: toThinking(thinking, max_tokens),
      tool_choice: prompt.tools.length > 0 ? toToolChoice(provider) : undefined,
    }),
    stream: true,
  }
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
const budgets: Readonly<Record<string, number>> = {
  low: 2048,
  medium: 8192,
  high: 16_384,
  max: 32_768,
}

function toThinking(thinking: ModelSettings['thinking'], most: number): object | undefined {
  if (thinking === false) return { type: 'disabled' }
  const budget = Math.min(budgets[String(thinking)] ?? 0, most - 1)
  // Anthropic takes no fewer.
  return budget >= 1024 ? { type: 'enabled', budget_tokens: budget } : undefined
}

function toToolChoice({ tool_choice: choice, parallel_tool_calls: parallel }: Fields) {
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

interface AnthropicMessage {
  readonly role: 'user' | 'assistant'
  readonly content: readonly Fields[]
}

/** Converts messages of any provider for `/v1/messages`. System messages at the front are its `system`. */
function toAnthropicMessages(source: readonly MessageLike[]): {
  readonly system?: string
  readonly messages: readonly AnthropicMessage[]
} {
  const start = source.findIndex(({ role }) => role !== 'system' && role !== 'developer')
  const end = start < 0 ? source.length : start
  const system = pairResults(source.slice(0, end)).map(({ message }) => message.text)
  const messages: AnthropicMessage[] = []
  for (const message of eachAnthropic(source.slice(end)).flat()) {
    const last = messages.at(-1)
    if (!last && message.role === 'assistant')
      messages.push({ role: 'user', content: [toText(openingText)] }, message)
    else if (last?.role === message.role)
      messages[messages.length - 1] = {
        ...last,
        content: inOrder([...last.content, ...message.content]),
      }
    else messages.push(message)
  }
  const text = system.filter(one => one.trim() !== '').join('\n\n')
  return { ...(text !== '' && { system: text }), messages }
}

/** Results must come before anything else that a user says. */
const inOrder = (blocks: readonly Fields[]): readonly Fields[] => [
  ...blocks.filter(({ type }) => type === 'tool_result'),
  ...blocks.filter(({ type }) => type !== 'tool_result'),
]

export const eachAnthropic = (
  messages: readonly MessageLike[],
): readonly (readonly AnthropicMessage[])[] =>
  writeEach(messages, {
    toReply: paired => entry('assistant', toReply(paired)),
    toResults: paired => entry('user', toResults(paired)),
    say: (_, text, files) => entry('user', [...textBlocks(text), ...files]),
    toFile,
  })

const entry = (role: AnthropicMessage['role'], content: readonly Fields[]) =>
  content.length > 0 ? [{ role, content }] : []

function toReply(paired: PairedMessage): readonly Fields[] {
  const uses = paired.calls.map(({ key, name, arguments: json }) => ({
    ...{ type: 'tool_use', id: key, name, input: toArguments(json) },
  }))
  return withKeptBlocks(paired, 'messages', [...textBlocks(paired.message.text), ...uses], {
    textOf: blocks =>
      blocks.map(({ type, text }) => (type === 'text' ? String(text ?? '') : '')).join(''),
    isCall: ({ type }) => type === 'tool_use',
  })
}

function toResults(paired: PairedMessage): readonly Fields[] {
  const isError = errorsIn(paired.source)
  const files = resultFiles(paired, toFile)
  return paired.results.map(({ text, key }, at) => ({
    type: 'tool_result',
    tool_use_id: key,
    content: files[at]?.length ? [...textBlocks(text), ...files[at]] : text,
    ...(isError(text, at) && { is_error: true }),
  }))
}

const toText = (text: string): Fields => ({ type: 'text', text })

const textBlocks = (text: string): readonly Fields[] => (text.trim() === '' ? [] : [toText(text)])

function toFile(media: Media, seq: number): Fields {
  const file = sentFile(media, seq)
  const type = isImage(file) ? 'image' : 'document'
  if (file.type === 'url') return { type, source: { type: 'url', url: file.url } }
  const title = file.filename === undefined || type === 'image' ? {} : { title: file.filename }
  if (type === 'document' && file.mediaType.startsWith('text/')) {
    const data = new TextDecoder().decode(fromBase64(file.base64))
    return { type, source: { type: 'text', media_type: 'text/plain', data }, ...title }
  }
  return {
    type,
    source: { type: 'base64', media_type: file.mediaType, data: file.base64 },
    ...title,
  }
}
