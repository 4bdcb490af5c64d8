import { type Fields, isFields, read, refuse } from '@throughline/core/fields'
import { type ContentPart, type MessageLike, toContent } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import type { ChatRequest } from './adapter.ts'
import { messageList } from './message-list.ts'
import { readOnce } from './read-once.ts'
import { readName } from './read-tools.ts'

/** Reads messages of OpenAI or Ollama into objects of known keys. `more`: those besides `role`, `content` and `tool_calls`. */
export function chatMessages(
  more: (message: Fields, where: string) => Fields,
  readOwn = readContent,
) {
  const readEntry = readOnce((value, at): MessageLike => {
    const where = `messages[${at}]`
    const message = read.fields(value, where)
    const { role } = message
    const content = readOwn(message.content, `${where}.content`)
    if (role === 'system' || role === 'developer') {
      if (typeof content === 'string') return { role: 'system', content }
      refuse(`${where}.content`, 'of a system message may hold only texts')
    }
    // The older name of a tool message.
    if (role === 'function')
      return { role: 'tool', content, tool_name: read.text(message.name, `${where}.name`) }
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
    for (const [at, value] of values.entries()) list.add(readEntry(value, at), at)
    return list.result(values.length)
  }
}

export const readChatMessages = chatMessages((message, where) => {
  const { role, function_call: single, reasoning_content, reasoning } = message
  if (role === 'user')
    return present({ name: read.optional(message.name, `${where}.name`, read.text) })
  if (role === 'tool')
    return { tool_call_id: read.text(message.tool_call_id, `${where}.tool_call_id`) }
  const thought = typeof reasoning_content === 'string' ? reasoning_content : reasoning
  const older = read.optional(single, `${where}.function_call`, read.fields)
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
  const part = read.fields(value, field)
  switch (part.type) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return read.text(part.text, `${field}.text`)
    case 'refusal':
      return read.text(part.refusal, `${field}.refusal`)
    case 'image_url': {
      const { url = part.image_url } = isFields(part.image_url) ? part.image_url : {}
      read.text(url, `${field}.image_url.url`)
      return read.jsonFields(part, field)
    }
    case 'tool-call':
    case 'tool-result':
    case 'tool_use':
    case 'tool_result':
      return refuse(field, 'is a part of another API: use "tool_calls" and messages of role "tool"')
    default:
      read.text(part.type, `${field}.type`)
      return read.jsonFields(part, field)
  }
}

/** Reads the `tool_calls` of a message of Ollama or OpenAI. Each stays in its provider's form. */
export function readCalls(value: unknown, field: string): readonly Fields[] {
  return read.each(value, field, (call, where) => {
    const id = read.optional(call.id, `${where}.id`, read.text)
    const held = {
      ...(id !== undefined && { id }),
      ...(call.type === 'function' && { type: 'function' }),
    }
    if (call.type === 'custom') {
      const { name, input } = read.fields(call.custom, `${where}.custom`)
      const called = readName(name, `${where}.custom.name`)
      const custom = { name: called, input: read.text(input, `${where}.custom.input`) }
      return { ...held, type: 'custom', custom }
    }
    const called = read.fields(call.function, `${where}.function`)
    const name = readName(called.name, `${where}.function.name`)
    return {
      ...held,
      function: {
        name,
        arguments: read.json(called.arguments ?? {}, `${where}.function.arguments`),
      },
    }
  })
}
