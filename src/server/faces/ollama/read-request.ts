import {
  type Fields,
  optional,
  readBody,
  readFields,
  readFlag,
  readJsonFields,
  readList,
  readNumber,
  readText,
  readWhole,
  refuse,
} from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import { present } from '../../../log/present.ts'
import type { ModelSettings } from '../../../models/model.ts'
import type { ChatRequest } from '../face.ts'
import { messageList } from '../message-list.ts'
import { readCalls } from '../read-calls.ts'
import { readOnce } from '../read-once.ts'
import { readMaxTokens, readProvider, readStop } from '../read-settings.ts'
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

function readMessages(given: readonly unknown[]): Pick<ChatRequest, 'system' | 'messages'> {
  const list = messageList()
  for (const [at, value] of given.entries()) list.add(readMessage(value, at))
  return list.result()
}

/** Makes a new object with only the keys that the log knows. */
const readMessage = readOnce((value, at): MessageLike => {
  const where = `messages[${at}]`
  const message = readFields(value, where)
  const { role } = message
  if (role === 'system' || role === 'developer')
    return { role: 'system', content: readContent(message, where) }
  if (role !== 'user' && role !== 'assistant' && role !== 'tool') {
    refuse(`${where}.role`, 'must be "system", "user", "assistant" or "tool"')
  }
  const images = optional(message.images, `${where}.images`, readList) ?? []
  for (const [at, image] of images.entries()) readText(image, `${where}.images[${at}]`)
  const calls = readCalls(message.tool_calls, `${where}.tool_calls`)
  if (calls.length > 0 && role !== 'assistant')
    refuse(`${where}.tool_calls`, 'belong to an assistant message')
  const text = (name: string) => optional(message[name], `${where}.${name}`, readText) || undefined
  return present({
    role,
    content: readContent(message, where),
    thinking: text('thinking'),
    images: images.length > 0 ? images : undefined,
    tool_calls: calls.length > 0 ? calls : undefined,
    tool_name: text('tool_name'),
    tool_call_id: text('tool_call_id'),
  }) as MessageLike
})

const readContent = ({ content }: Fields, where: string): string =>
  optional(content, `${where}.content`, readText) ?? ''

function readSettings(body: Fields): ModelSettings {
  const options = optional(body.options, 'options', readFields) ?? {}
  const { logprobs, top_logprobs, keep_alive } = body
  return present({
    temperature: optional(options.temperature, 'options.temperature', readNumber),
    maxTokens: readMaxTokens(options.num_predict, 'options.num_predict'),
    seed: optional(options.seed, 'options.seed', readWhole),
    stop: readStop(options.stop, 'options.stop'),
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
  switch (value) {
    case undefined:
    case null:
      return undefined
    case true:
    case false:
    case 'low':
    case 'medium':
    case 'high':
    case 'max':
      return value
    default:
      return refuse('think', 'must be true, false, "low", "medium", "high" or "max"')
  }
}

/** Whether `keep_alive` is no time at all: `0`, `"0"`, `"0s"`. */
function isNothing(value: unknown): boolean {
  return value === 0 || (typeof value === 'string' && /^0+(?:\.0*)?[a-zµ]{0,2}$/.test(value))
}
