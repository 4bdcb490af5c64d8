import { type Fields, read, refuse } from '@throughline/core/fields'
import { present } from '@throughline/core/values'
import type { ModelSettings } from '../../model.ts'
import type { ChatRequest } from '../adapter.ts'
import { chatMessages } from '../read-chat-messages.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'

export function readRequest(value: unknown, isOwnForm = false): ChatRequest {
  const body = read.body(value)
  const messages = read.optional(body.messages, 'messages', read.list) ?? []
  return {
    model: read.text(body.model, 'model'),
    ...readMessages(messages),
    tools: readFunctionTools(body.tools, isOwnForm),
    settings: readSettings(body, isOwnForm),
    stream: read.optional(body.stream, 'stream', read.flag) ?? true,
    ...present({ window: readWindow(body) }),
    named: {},
    hints: messages.length === 0 ? { load: isNothing(body.keep_alive) ? 'unload' : 'load' } : {},
  }
}

/** Reads the body of `/api/generate`: one question, or none. */
export function readGenerate(value: unknown, isOwnForm = false): ChatRequest {
  const body = read.body(value)
  const prompt = read.optional(body.prompt, 'prompt', read.text) ?? ''
  const system = { role: 'system', content: read.optional(body.system, 'system', read.text) ?? '' }
  const messages =
    prompt === '' ? [] : [system, { role: 'user', content: prompt, images: body.images }]
  return readRequest({ ...body, messages, tools: [] }, isOwnForm)
}

const readMessages = chatMessages(
  (message, where) => {
    const { role, tool_calls: calls } = message
    if (role !== 'assistant' && read.optional(calls, `${where}.tool_calls`, read.list)?.length)
      refuse(`${where}.tool_calls`, 'belong to an assistant message')
    const images = read.optional(message.images, `${where}.images`, read.list) ?? []
    for (const [at, image] of images.entries()) read.text(image, `${where}.images[${at}]`)
    const text = (name: string) =>
      read.optional(message[name], `${where}.${name}`, read.text) || undefined
    return present({
      thinking: text('thinking'),
      images: images.length > 0 ? images : undefined,
      tool_name: text('tool_name'),
      tool_call_id: text('tool_call_id'),
    })
  },
  (value, field) => read.optional(value, field, read.text) ?? '',
)

function readSettings(body: Fields, isOwnForm: boolean): ModelSettings {
  const options = read.optional(body.options, 'options', read.fields) ?? {}
  const { logprobs, top_logprobs, keep_alive } = body
  return present({
    ...readSampling(options, { maxTokens: ['num_predict'], where: 'options.', isOwnForm }),
    format: readFormat(body.format),
    thinking: readThinking(body.think),
    provider: {
      ...readProvider(options, 'options.'),
      ...readProvider({ logprobs, top_logprobs, keep_alive }),
    },
  })
}

function readWindow({ options }: Fields): number | undefined {
  const { num_ctx: window } = (options ?? {}) as Fields
  return typeof window === 'number' ? window : undefined
}

function readFormat(value: unknown): ModelSettings['format'] {
  if (value === 'json') return 'json'
  if (value === '') return undefined
  if (typeof value === 'string') refuse('format', 'must be "json" or a JSON Schema')
  return read.optional(value, 'format', read.jsonFields)
}

function readThinking(value: unknown): ModelSettings['thinking'] {
  if (value === undefined || value === null) return undefined
  const level = ([true, false, 'low', 'medium', 'high', 'max'] as const).find(one => one === value)
  return level ?? refuse('think', 'must be true, false, "low", "medium", "high" or "max"')
}

/** Whether `keep_alive` is no time at all: `0`, `"0"`, `"0s"`. */
function isNothing(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && /^0+(?:\.0*)?[a-zµ]{0,2}$/.test(value))
}
