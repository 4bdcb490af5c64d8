import { readText } from '@throughline/core/fields'
import {
  type Format,
  has,
  type Item,
  type PlacedFields,
  placeFields,
  type SourceNode,
} from './source.ts'
import { attached, toText, withFiles } from './source-text.ts'
import type { UnsignedMessage } from './unsigned-message.ts'
import { gather, noParent, sayAnswer, sayText, sign, toResult } from './unsigned-message.ts'

/** LibreChat's export of a conversation: a list of messages that name their parents, or messages inside their parents. */
export const librechat: Format = {
  name: 'LibreChat',
  prefix: 'librechat',
  isWhole: false,
  matches: first =>
    has(first, 'conversationId') && (has(first, 'messages') || has(first, 'messagesTree')),
  read([item]) {
    const { fields, place, text, inner, needItems } = placeFields(item!)
    const items = needItems(fields.messagesTree === undefined ? 'messages' : 'messagesTree')
    return {
      id: text('conversationId'),
      title: text('title'),
      nodes: readTree(items, inner('options')?.fields.model),
      place,
    }
  },
}

/** Walks lists inside messages without calling itself: a tree is as deep as its conversation is long. */
function readTree(items: readonly Item[], model: unknown): readonly SourceNode[] {
  const nodes: SourceNode[] = []
  const waiting: { readonly items: readonly Item[]; readonly parent?: string }[] = [{ items }]
  for (let next = waiting.pop(); next; next = waiting.pop())
    for (const { value, place } of next.items) {
      const message = placeFields({ value, place: { ...place, path: shorten(place.path) } })
      const node = readNode(message, next.parent, model)
      nodes.push(node)
      const children = message.items('children')
      if (children.length > 0) waiting.push({ items: children, parent: node.id })
    }
  return nodes
}

/** The path of a message inside a thousand others would be longer than the message. */
const shorten = (path: string): string => (path.length <= 200 ? path : `$…${path.slice(-160)}`)

function readNode(message: PlacedFields, above: string | undefined, model: unknown): SourceNode {
  const { fields, place, text, fileNames } = message
  const id = message.needText('messageId')
  const named = text('parentMessageId')
  const parent = above ?? (named === undefined || noParent.test(named) ? undefined : named)
  const author = {
    time: message.time('createdAt'),
    name: fields.sender,
    model: fields.model ?? model,
  }
  const files = [
    ...fileNames('files', 'filename', 'file_id'),
    ...fileNames('attachments', 'filename', 'file_id', 'type'),
  ]
  return { id, parent, messages: sign(messagesIn(), author), place }

  function messagesIn(): readonly UnsignedMessage[] {
    const isUser = fields.isCreatedByUser === true
    const written = text('text') ?? ''
    const parts = message.items('content')
    if (!isUser && parts.length > 0) return readParts(parts, id, files)
    const texts = () => parts.map(part => partText(placeFields(part))).join('\n')
    const content = withFiles([written || texts()], files)
    return isUser ? sayText('user', content) : sayAnswer({ text: content })
  }
}

/** LibreChat writes a text as itself, or as `{ value }`. */
const partText = ({ fields: { text } }: Pick<PlacedFields, 'fields'>): string =>
  typeof text === 'string' ? text : has(text, 'value') ? toText(text.value) : ''

function readParts(
  parts: readonly Item[],
  id: string,
  files: readonly string[],
): readonly UnsignedMessage[] {
  const gathered = gather({ joinTexts: withFiles, joinThoughts: thoughts => thoughts.join('') })
  for (const [at, item] of parts.entries()) {
    const part = placeFields({ ...item, value: item.value ?? {} })
    const { type, think } = part.fields
    if (type === 'think') gathered.open.thoughts.push(toText(think))
    else if (type === 'tool_call') {
      const call = part.needInner('tool_call')
      const inner = has(call.fields.function, 'name') ? call.fields.function : call.fields
      const callId = call.text('id') ?? `${id}-${at}`
      const name = readText(inner.name, `${call.place.path}.name`)
      gathered.call({ id: callId, name, arguments: inner.args ?? inner.arguments })
      gathered.close()
      const output = inner.output ?? call.fields.output
      if (output !== undefined && output !== null)
        gathered.add({ message: toResult(callId, toText(output)) })
    } else gathered.text(partText(part))
  }
  gathered.close(files.map(attached))
  return gathered.messages
}
