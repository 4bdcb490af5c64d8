import { isFields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import { readBlocks } from './read-blocks.ts'
import { type Format, has, type Item, itemsIn, placeFields, type SourceMessage } from './source.ts'
import { inRow, sign } from './unsigned-message.ts'

const name = 'a list of messages'
const prefix = 'chat'

/** A list of messages as OpenAI and Ollama take it: the file is the list, or has a message a line. */
export const messageList: Format = {
  name,
  prefix,
  isWhole: true,
  matches: first => has(first, 'role'),
  read: items => ({ nodes: toNodes(items), place: items[0]!.place }),
}

/** Many lists: as items of a list or lines, alone or as `{ id, title, messages }`. */
export const messageLists: Format = {
  name,
  prefix,
  isWhole: false,
  matches: first => (Array.isArray(first) && has(first[0], 'role')) || has(first, 'messages'),
  read([item]) {
    const { value, place } = item!
    if (Array.isArray(value)) return { nodes: toNodes(itemsIn(item!)), place }
    const { fields, text, time, needItems } = placeFields(item!)
    return {
      nodes: toNodes(needItems('messages'), fields.model),
      place,
      id: text('id', fields.id ?? fields.conversation_id),
      title: text('title', fields.title ?? fields.name),
      time: time('created_at', fields.created_at ?? fields.time),
    }
  },
}

const toNodes = (items: readonly Item[], model?: unknown) =>
  inRow(
    items.map((item, at) => ({ messages: readMessage(item, model, `${at}`), place: item.place })),
  )

function readMessage(item: Item, model: unknown, id: string): readonly SourceMessage[] {
  const { fields, items, time } = placeFields(item)
  const { role, content, createdAt, created_at, timestamp } = fields
  const author = {
    time: time('time', fields.time ?? createdAt ?? created_at ?? timestamp),
    model: fields.model ?? model,
  }
  // Anthropic writes calls and results as blocks, which no other server reads.
  const isBlocks = Array.isArray(content) && content.some(isCallBlock)
  if (isBlocks && (role === 'user' || role === 'assistant'))
    return sign(readBlocks({ role, content: items('content'), id }), author)
  return sign([{ message: fields as unknown as MessageLike }], author)
}

const isCallBlock = (part: unknown): boolean =>
  isFields(part) && (part.type === 'tool_use' || part.type === 'tool_result')
