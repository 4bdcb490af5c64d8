import {
  type Fields,
  optional,
  readBody,
  readFields,
  readFlag,
  readJsonFields,
  readList,
  readText,
  refuse,
} from '../../../log/fields.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings } from '../../../models/model.ts'
import type { ChatRequest } from '../face.ts'
import { chatMessages } from '../read-chat-messages.ts'
import { readProvider, readSampling } from '../read-settings.ts'
import { readFunctionTools } from '../read-tools.ts'

/** Reads the body of `/api/chat`. */
export function readRequest(value: unknown): ChatRequest {
  const body = readBody(value)
  const given = optional(body.messages, 'messages', readList) ?? []
  return {
    model: readText(body.model, 'model'),
    ...readMessages(given),
    tools: readFunctionTools(body.tools),
    settings: readSettings(body),
    stream: optional(body.stream, 'stream', readFlag) ?? true,
    named: {},
    hints: given.length === 0 ? { load: isNothing(body.keep_alive) ? 'unload' : 'load' } : {},
  }
}

/** Reads the body of `/api/generate`: one question, or none. */
export function readGenerate(value: unknown): ChatRequest {
  const body = readBody(value)
  const prompt = optional(body.prompt, 'prompt', readText) ?? ''
  const system = { role: 'system', content: optional(body.system, 'system', readText) ?? '' }
  const messages = prompt === '' ? [] : [system, { role: 'user', content: prompt, images: body.images }]
  return readRequest({ ...body, messages, tools: [] })
}

const readMessages = chatMessages({
  content: (value, field) => optional(value, field, readText) ?? '',
  more(message, where) {
    const { role, tool_calls: calls } = message
    if (role !== 'assistant' && optional(calls, `${where}.tool_calls`, readList)?.length)
      refuse(`${where}.tool_calls`, 'belong to an assistant message')
    const images = optional(message.images, `${where}.images`, readList) ?? []
    for (const [at, image] of images.entries()) readText(image, `${where}.images[${at}]`)
    const text = (name: string) => optional(message[name], `${where}.${name}`, readText) || undefined
    return present({
      thinking: text('thinking'),
      images: images.length > 0 ? images : undefined,
      tool_name: text('tool_name'),
      tool_call_id: text('tool_call_id'),
    })
  },
})

function readSettings(body: Fields): ModelSettings {
  const options = optional(body.options, 'options', readFields) ?? {}
  const { logprobs, top_logprobs, keep_alive } = body
  return present({
    ...readSampling(options, { maxTokens: ['num_predict'], where: 'options.' }),
    format: readFormat(body.format),
    thinking: readThinking(body.think),
    provider: {
      ...readProvider(options, 'options.'),
      ...readProvider({ logprobs, top_logprobs, keep_alive }),
    },
  })
}

function readFormat(value: unknown): ModelSettings['format'] {
  if (value === 'json') return 'json'
  if (value === '') return undefined
  if (typeof value === 'string') refuse('format', 'must be "json" or a JSON Schema')
  return optional(value, 'format', readJsonFields)
}

function readThinking(value: unknown): ModelSettings['thinking'] {
  if (value === undefined || value === null) return undefined
  const known = ([true, false, 'low', 'medium', 'high', 'max'] as const).find(one => one === value)
  return known ?? refuse('think', 'must be true, false, "low", "medium", "high" or "max"')
}

/** Whether `keep_alive` is no time at all: `0`, `"0"`, `"0s"`. */
function isNothing(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && /^0+(?:\.0*)?[a-zµ]{0,2}$/.test(value))
}
