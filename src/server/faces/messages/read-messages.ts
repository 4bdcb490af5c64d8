import { markResult } from '../../../log/errors-in.ts'
import {
  type Fields,
  optional,
  readFields,
  readFlag,
  readJsonFields,
  readText,
  refuse,
} from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import { type Part, toContent } from '../../../log/to-content.ts'
import type { ChatRequest } from '../face.ts'
import { messageList } from '../message-list.ts'
import { readBlock, readParts, readTexts } from './read-parts.ts'

/** Reads the messages of `/v1/messages`. `system` are the texts of the body's system prompt. */
export function readMessages(
  system: readonly string[],
  given: readonly unknown[],
): Pick<ChatRequest, 'system' | 'messages'> {
  const list = messageList(system)
  // Results name only the id of their call; some templates need the tool's name.
  const names = new Map<string, string>()
  for (const [at, value] of given.entries()) {
    const where = `messages[${at}]`
    const { role, content } = readFields(value, where)
    const field = `${where}.content`
    switch (role) {
      case 'system':
        list.addSystem(readTexts(content, field).join('\n\n'))
        break
      case 'assistant':
        list.add(readAssistant(content, field, names))
        break
      case 'user':
        for (const message of readUser(content, field, names)) list.add(message)
        break
      default:
        refuse(`${where}.role`, 'must be "user", "assistant" or "system"')
    }
  }
  return list.result()
}

/** Reads a user message: each result is a tool message, and what else it holds follows as a user message. */
function readUser(
  content: unknown,
  field: string,
  names: ReadonlyMap<string, string>,
): readonly MessageLike[] {
  if (!Array.isArray(content)) return [{ role: 'user', content: toContent(readParts(content, field)) }]
  const results: MessageLike[] = []
  const parts: Part[] = []
  for (const [at, value] of content.entries()) {
    const where = `${field}[${at}]`
    const block = readFields(value, where)
    if (block.type === 'tool_result') results.push(readResult(block, where, names))
    else for (const part of readBlock(block, where)) parts.push(part)
  }
  if (parts.length === 0 && results.length > 0) return results
  return [...results, { role: 'user', content: toContent(parts) }]
}

function readResult(block: Fields, where: string, names: ReadonlyMap<string, string>): MessageLike {
  const id = readText(block.tool_use_id, `${where}.tool_use_id`)
  const name = names.get(id)
  const message = {
    role: 'tool',
    tool_call_id: id,
    ...(name !== undefined && { tool_name: name }),
    content: toContent(readParts(block.content, `${where}.content`)),
  }
  const isError = optional(block.is_error, `${where}.is_error`, readFlag)
  return isError === undefined ? message : markResult(message, isError)
}

function readAssistant(content: unknown, field: string, names: Map<string, string>): MessageLike {
  if (!Array.isArray(content)) return { role: 'assistant', content: toContent(readParts(content, field)) }
  let [text, thinking] = ['', '']
  const calls: Fields[] = []
  for (const [at, value] of content.entries()) {
    const where = `${field}[${at}]`
    const block = readFields(value, where)
    // One text may have been cut in two by a thought, so nothing stands between.
    if (block.type === 'text') text += readText(block.text, `${where}.text`)
    else if (block.type === 'thinking') thinking += readText(block.thinking, `${where}.thinking`)
    else if (block.type === 'tool_use') {
      const id = readText(block.id, `${where}.id`)
      const name = readText(block.name, `${where}.name`)
      names.set(id, name)
      const input = optional(block.input, `${where}.input`, readJsonFields) ?? {}
      calls.push({ id, function: { name, arguments: input } })
    }
  }
  return {
    role: 'assistant',
    content: text,
    ...(thinking !== '' && { thinking }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}
