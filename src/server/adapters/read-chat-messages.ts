import {
  type Fields,
  isFields,
  optional,
  readEach,
  readFields,
  readJson,
  readJsonFields,
  readText,
  refuse,
} from '../../log/fields.ts'
import type { MessageLike } from '../../log/message.ts'
import { present } from '../../log/present.ts'
import { type ContentPart, toContent } from '../../log/to-content.ts'
import type { ChatRequest } from './adapter.ts'
import { messageList } from './message-list.ts'
import { readOnce } from './own-form.ts'

/**
 * Makes the reader of messages with `role`, `content` and `tool_calls`, as OpenAI and Ollama have them. Each becomes a new
 * object with only the keys that the log knows: `more` reads those besides these three.
 */
export function chatMessages(more: (message: Fields, where: string) => Fields, readOwn = readContent) {
  const read = readOnce((value, at): MessageLike => {
    const where = `messages[${at}]`
    const message = readFields(value, where)
    const { role } = message
    const content = readOwn(message.content, `${where}.content`)
    if (role === 'system' || role === 'developer') {
      if (typeof content === 'string') return { role: 'system', content }
      refuse(`${where}.content`, 'of a system message may hold only texts')
    }
    // The older name of a tool message.
    if (role === 'function')
      return { role: 'tool', content, tool_name: readText(message.name, `${where}.name`) }
    if (role !== 'user' && role !== 'assistant' && role !== 'tool')
      refuse(`${where}.role`, 'must be "system", "developer", "user", "assistant" or "tool"')
    const calls = role === 'assistant' ? readCalls(message.tool_calls, `${where}.tool_calls`) : []
    return {
      ...{ role, content },
      ...more(message, where),
      ...(calls.length > 0 && { tool_calls: calls }),
    } as MessageLike
  })
  return (values: readonly unknown[]): Pick<ChatRequest, 'system' | 'messages' | 'origins'> => {
    const list = messageList()
    for (const [at, value] of values.entries()) list.add(read(value, at), at)
    return list.result(values.length)
  }
}

export const readChatMessages = chatMessages((message, where) => {
  const { role, function_call: single, reasoning_content, reasoning } = message
  if (role === 'user') return present({ name: optional(message.name, `${where}.name`, readText) })
  if (role === 'tool') return { tool_call_id: readText(message.tool_call_id, `${where}.tool_call_id`) }
  const thought = typeof reasoning_content === 'string' ? reasoning_content : reasoning
  const older = optional(single, `${where}.function_call`, readFields)
  return {
    ...(typeof thought === 'string' && thought !== '' && { thinking: thought }),
    ...(older && { tool_calls: readCalls([{ function: older }], `${where}.function_call`) }),
  }
})

type ReadContent = string | readonly Fields[]

function readContent(value: unknown, field: string): ReadContent {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (!Array.isArray(value)) refuse(field, 'must be a text or a list of parts')
  return toContent(value.map((part, at) => readPart(part, `${field}[${at}]`)))
}

function readPart(value: unknown, field: string): ContentPart {
  if (typeof value === 'string') return value
  const part = readFields(value, field)
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return readText(part.text, `${field}.text`)
    case 'refusal':
      return readText(part.refusal, `${field}.refusal`)
    case 'image_url': {
      const { url = part.image_url } = isFields(part.image_url) ? part.image_url : {}
      readText(url, `${field}.image_url.url`)
      return readJsonFields(part, field)
    }
    case 'tool-call':
    case 'tool-result':
    case 'tool_use':
    case 'tool_result':
      return refuse(field, 'is a part of another API: use "tool_calls" and messages of role "tool"')
    default:
      readText(part.type, `${field}.type`)
      return readJsonFields(part, field)
  }
}

/** Reads the `tool_calls` of a message of Ollama or OpenAI. Each stays in its provider's form. */
export function readCalls(value: unknown, field: string): readonly Fields[] {
  return readEach(value, field, (call, where) => {
    const id = optional(call.id, `${where}.id`, readText)
    const held = { ...(id !== undefined && { id }), ...(call.type === 'function' && { type: 'function' }) }
    if (call.type === 'custom') {
      const { name, input } = readFields(call.custom, `${where}.custom`)
      const custom = {
        name: readName(name, `${where}.custom.name`),
        input: readText(input, `${where}.custom.input`),
      }
      return { ...held, type: 'custom', custom }
    }
    const called = readFields(call.function, `${where}.function`)
    const name = readName(called.name, `${where}.function.name`)
    return {
      ...held,
      function: { name, arguments: readJson(called.arguments ?? {}, `${where}.function.arguments`) },
    }
  })
}

function readName(value: unknown, field: string): string {
  return readText(value, field) || refuse(field, 'must not be empty')
}
