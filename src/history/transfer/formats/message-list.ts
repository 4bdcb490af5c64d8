import { type Fields, isFields, readFields, readList } from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import type { Place } from '../import-error.ts'
import { readBlocks } from './read-blocks.ts'
import { optionalText, readTime, withKnown } from './read-parts.ts'
import { type Format, has, type Item, type SourceConversation, type SourceMessage } from './source.ts'

const name = 'a list of messages'
const prefix = 'chat'

/** A list of messages as OpenAI and Ollama take it: the file is the list, or has a message a line. */
export const messageList: Format = {
  name,
  prefix,
  isWhole: true,
  matches: first => has(first, 'role'),
  read: items => toConversation(items, items[0]!.place),
}

/** Many lists: as items of a list or lines, alone or as `{ id, title, messages }`. */
export const messageLists: Format = {
  name,
  prefix,
  isWhole: false,
  matches: first => (Array.isArray(first) && has(first[0], 'role')) || has(first, 'messages'),
  read([item]) {
    const { value, place } = item!
    const inList = (list: unknown, path: string): readonly Item[] =>
      readList(list, path).map((one, at) => ({
        value: one,
        place: { line: place.line, path: `${path}[${at}]` },
      }))
    if (Array.isArray(value)) return toConversation(inList(value, place.path), place)
    const fields = readFields(value, place.path)
    return {
      ...toConversation(inList(fields.messages, `${place.path}.messages`), place, fields.model),
      id: optionalText(fields.id ?? fields.conversation_id, `${place.path}.id`),
      title: optionalText(fields.title ?? fields.name, `${place.path}.title`),
      time: readTime(fields.created_at ?? fields.time, `${place.path}.created_at`),
    }
  },
}

function toConversation(items: readonly Item[], place: Place, model?: unknown): SourceConversation {
  return {
    nodes: items.map(({ value, place: { line, path } }, at) => ({
      id: `${at}`,
      ...(at > 0 && { parent: `${at - 1}` }),
      messages: readMessage(readFields(value, path), path, model, `${at}`),
      place: { line, path },
    })),
    place,
  }
}

function readMessage(message: Fields, field: string, model: unknown, id: string): readonly SourceMessage[] {
  const { time: own, createdAt, created_at, timestamp } = message
  const time = readTime(own ?? createdAt ?? created_at ?? timestamp, `${field}.time`)
  const known = { time, model: message.model ?? model }
  const { role, content } = message
  // Anthropic writes calls and results as blocks, which no other server reads.
  const isBlocks = Array.isArray(content) && content.some(isCallBlock)
  if (isBlocks && (role === 'user' || role === 'assistant'))
    return withKnown(readBlocks({ role, list: content, field: `${field}.content`, id }), known)
  return withKnown([{ message: message as unknown as MessageLike }], known)
}

const isCallBlock = (part: unknown): boolean =>
  isFields(part) && (part.type === 'tool_use' || part.type === 'tool_result')
