import { type Fields, optional, readFields, readList, readText } from '../../../log/fields.ts'
import type { Place } from '../import-error.ts'
import {
  type Call,
  optionalText,
  readNames,
  readTime,
  type Said,
  toAssistant,
  toResult,
  toText,
  withFiles,
  withKnown,
} from './read-parts.ts'
import { type Format, has, type SourceNode } from './source.ts'

/** LibreChat's export of a conversation: a list of messages that name their parents, or messages inside their parents. */
export const librechat: Format = {
  name: 'LibreChat',
  prefix: 'librechat',
  isWhole: false,
  matches: first => has(first, 'conversationId') && (has(first, 'messages') || has(first, 'messagesTree')),
  read([item]) {
    const { value, place } = item!
    const field = place.path
    const fields = readFields(value, field)
    const name = fields.messagesTree === undefined ? 'messages' : 'messagesTree'
    const options = optional(fields.options, `${field}.options`, readFields) ?? {}
    return {
      id: optionalText(fields.conversationId, `${field}.conversationId`),
      title: optionalText(fields.title, `${field}.title`),
      nodes: readTree(
        readList(fields[name], `${field}.${name}`),
        { line: place.line, path: `${field}.${name}` },
        options.model,
      ),
      place,
    }
  },
}

interface Waiting {
  readonly list: readonly unknown[]
  readonly path: string
  readonly parent?: string
}

/** Walks lists inside messages without calling itself: a tree is as deep as its conversation is long. */
function readTree(
  list: readonly unknown[],
  { line, path }: Place & { readonly path: string },
  model: unknown,
): readonly SourceNode[] {
  const nodes: SourceNode[] = []
  const waiting: Waiting[] = [{ list, path }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    for (const [at, one] of next.list.entries()) {
      const field = `${next.path}[${at}]`
      const message = readFields(one, field)
      const node = readNode(message, { line, path: field }, next.parent, model)
      nodes.push(node)
      const children = optional(message.children, `${field}.children`, readList) ?? []
      if (children.length > 0)
        waiting.push({ list: children, path: shorten(`${field}.children`), parent: node.id })
    }
  }
  return nodes
}

/** The path of a message inside a thousand others would be longer than the message. */
const shorten = (path: string): string => (path.length <= 200 ? path : `$…${path.slice(-160)}`)

/** The parent of a first message. */
const noParent = '00000000-0000-0000-0000-000000000000'

function readNode(
  message: Fields,
  place: Place & { readonly path: string },
  above: string | undefined,
  model: unknown,
): SourceNode {
  const field = place.path
  const id = readText(message.messageId, `${field}.messageId`)
  const named = optionalText(message.parentMessageId, `${field}.parentMessageId`)
  const parent = above ?? (named === noParent ? undefined : named)
  const time = readTime(message.createdAt, `${field}.createdAt`)
  const isUser = message.isCreatedByUser === true
  const files = [
    ...readNames(message.files, `${field}.files`, 'filename', 'file_id'),
    ...readNames(message.attachments, `${field}.attachments`, 'filename', 'file_id', 'type'),
  ]
  return {
    id,
    parent,
    messages: withKnown(readSaid(), { time, name: message.sender, model: message.model ?? model }),
    place,
  }

  function readSaid(): readonly Said[] {
    const text = optionalText(message.text, `${field}.text`) ?? ''
    const parts = optional(message.content, `${field}.content`, readList) ?? []
    if (!isUser && parts.length > 0) return readParts(parts, `${field}.content`, id, files)
    const content = withFiles([text || partTexts(parts, `${field}.content`)], files)
    const said = isUser
      ? content === ''
        ? undefined
        : { role: 'user', content }
      : toAssistant({ text: content })
    return said ? [{ message: said }] : []
  }
}

/** LibreChat writes a text as itself, or as `{ value }`. */
function partText(part: Fields): string {
  const { text } = part
  return typeof text === 'string' ? text : has(text, 'value') ? toText(text.value) : ''
}

const partTexts = (parts: readonly unknown[], field: string): string =>
  parts.map((part, at) => partText(readFields(part, `${field}[${at}]`))).join('\n')

function readParts(
  parts: readonly unknown[],
  field: string,
  id: string,
  files: readonly string[],
): readonly Said[] {
  const found: Said[] = []
  let [texts, thinking]: [string[], string] = [[], '']
  function flush(call?: Call): void {
    const message = toAssistant({
      text: withFiles(texts, call ? [] : files),
      thinking,
      ...(call && { calls: [call] }),
    })
    if (message) found.push({ message })
    ;[texts, thinking] = [[], '']
  }
  for (const [at, one] of parts.entries()) {
    const where = `${field}[${at}]`
    const part = optional(one, where, readFields) ?? {}
    if (part.type === 'think') thinking += toText(part.think)
    else if (part.type === 'tool_call') {
      const call = readFields(part.tool_call, `${where}.tool_call`)
      const inner = has(call.function, 'name') ? call.function : call
      const callId = optionalText(call.id, `${where}.tool_call.id`) ?? `${id}-${at}`
      flush({
        id: callId,
        name: readText(inner.name, `${where}.tool_call.name`),
        arguments: inner.args ?? inner.arguments,
      })
      const output = inner.output ?? call.output
      if (output !== undefined && output !== null) found.push({ message: toResult(callId, toText(output)) })
    } else texts.push(partText(part))
  }
  flush()
  return found
}
