import {
  type Fields,
  isFields,
  optional,
  readFields,
  readJsonFields,
  readText,
  refuse,
} from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import { type Part, toContent } from '../../../log/to-content.ts'
import type { ChatRequest } from '../face.ts'
import { messageList } from '../message-list.ts'
import { readCalls } from '../read-calls.ts'
import { readOnce } from '../read-once.ts'

/** Reads the messages of chat completions. Each becomes a new object with only the keys that the log knows. */
export function readMessages(given: readonly unknown[]): Pick<ChatRequest, 'system' | 'messages'> {
  const list = messageList()
  for (const [at, value] of given.entries()) list.add(readMessage(value, at))
  return list.result()
}

const readMessage = readOnce((value, at): MessageLike => {
  const where = `messages[${at}]`
  const message = readFields(value, where)
  const content = readContent(message.content, `${where}.content`)
  switch (message.role) {
    case 'system':
    case 'developer':
      if (typeof content !== 'string') refuse(`${where}.content`, 'of a system message may hold only texts')
      return { role: 'system', content }
    case 'user': {
      const name = optional(message.name, `${where}.name`, readText)
      return { role: 'user', content, ...(name !== undefined && { name }) }
    }
    case 'assistant':
      return readAssistant(message, content, where)
    case 'tool':
      return {
        role: 'tool',
        content,
        tool_call_id: readText(message.tool_call_id, `${where}.tool_call_id`),
      }
    case 'function':
      return { role: 'tool', content, tool_name: readText(message.name, `${where}.name`) }
    default:
      return refuse(`${where}.role`, 'must be "system", "developer", "user", "assistant" or "tool"')
  }
})

function readAssistant(message: Fields, content: string | readonly Fields[], where: string): MessageLike {
  const { tool_calls: list, function_call: single, reasoning_content, reasoning } = message
  const calls = readCalls(list, `${where}.tool_calls`)
  const older = calls.length > 0 ? undefined : optional(single, `${where}.function_call`, readFields)
  const thought = typeof reasoning_content === 'string' ? reasoning_content : reasoning
  return {
    role: 'assistant',
    content,
    ...(typeof thought === 'string' && thought !== '' && { thinking: thought }),
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(older && { tool_calls: readCalls([{ function: older }], `${where}.function_call`) }),
  }
}

function readContent(value: unknown, field: string): string | readonly Fields[] {
  if (typeof value === 'string') return value
  if (value === undefined || value === null) return ''
  if (!Array.isArray(value)) refuse(field, 'must be a text or a list of parts')
  return toContent(value.map((part, at) => readPart(part, `${field}[${at}]`)))
}

/** Reads a part: a text, or another part in OpenAI's own form. */
function readPart(value: unknown, field: string): Part {
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
