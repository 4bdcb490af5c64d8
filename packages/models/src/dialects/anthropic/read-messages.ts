import { type Fields, read, refuse } from '@throughline/core/fields'
import {
  type ContentPart,
  type MessageLike,
  markResult,
  toContent,
} from '@throughline/core/messages'
import { messageList, replyMessage } from '../message-list.ts'
import { refuseElsewhere, uploadedFile } from '../own-form.ts'
import { readOnce } from '../read-once.ts'

/** Reads the messages of `/v1/messages`. `system` are the texts of the body's system prompt. */
export function readMessages(
  system: readonly string[],
  values: readonly unknown[],
  isOwnForm: boolean,
) {
  const readEntry = isOwnForm ? entryReaders.own : entryReaders.elsewhere
  const list = messageList(system)
  // Results name only the id of their call; some templates need the tool's name.
  const names = new Map<string, string>()
  for (const [at, value] of values.entries()) {
    const { messages, calls } = readEntry(value, at, names)
    for (const [id, name] of calls) names.set(id, name)
    for (const { message, blocks } of messages) list.add(message, at, blocks)
  }
  return list.result(values.length)
}

type CallNames = ReadonlyMap<string, string>

interface ReadEntry {
  readonly messages: readonly PlacedMessage[]
  readonly calls: readonly (readonly [id: string, name: string])[]
}

interface PlacedMessage {
  readonly message: MessageLike
  readonly blocks?: readonly number[]
}

const entryReader = (isOwnForm: boolean) =>
  readOnce((value, at, names: CallNames): ReadEntry => {
    const where = `messages[${at}]`
    const { role, content } = read.fields(value, where)
    const field = `${where}.content`
    switch (role) {
      case 'system': {
        const text = readTexts(content, field, isOwnForm).join('\n\n')
        return { messages: [{ message: { role: 'system', content: text } }], calls: [] }
      }
      case 'assistant':
        return readAssistant(content, field, isOwnForm)
      case 'user':
        return { messages: readUser(content, field, names, isOwnForm), calls: [] }
      default:
        return refuse(`${where}.role`, 'must be "user", "assistant" or "system"')
    }
  }, hasNames)

/** What is read for an upstream of the same form is remembered apart: elsewhere some of it is refused. */
const entryReaders = { own: entryReader(true), elsewhere: entryReader(false) }

/** Whether the results of an entry are named after the calls that stand before it in this list. */
function hasNames({ messages }: ReadEntry, names: CallNames): boolean {
  return messages.every(
    ({ message }) =>
      message.role !== 'tool' || names.get(message.tool_call_id as string) === message.tool_name,
  )
}

/** Reads a user message: each result is a tool message, and what else it holds follows as a user message. */
function readUser(
  content: unknown,
  field: string,
  names: CallNames,
  isOwnForm: boolean,
): readonly PlacedMessage[] {
  if (!Array.isArray(content))
    return [{ message: { role: 'user', content: toContent(readParts(content, field, isOwnForm)) } }]
  const results: Required<PlacedMessage>[] = []
  const parts: ContentPart[] = []
  const blocks: number[] = []
  for (const [at, value] of content.entries()) {
    const where = `${field}[${at}]`
    const block = read.fields(value, where)
    if (block.type === 'tool_result') {
      results.push({ message: readResult(block, where, names, isOwnForm), blocks: [at] })
      continue
    }
    blocks.push(at)
    for (const part of readBlock(block, where, isOwnForm)) parts.push(part)
  }
  const last = results.at(-1)
  // Blocks of which nothing is read go where the results before them go.
  if (parts.length === 0 && last)
    return [...results.slice(0, -1), { ...last, blocks: [...last.blocks, ...blocks] }]
  const message = { role: 'user', content: toContent(parts) }
  return results.length === 0 ? [{ message }] : [...results, { message, blocks }]
}

function readResult(
  block: Fields,
  where: string,
  names: CallNames,
  isOwnForm: boolean,
): MessageLike {
  const id = read.text(block.tool_use_id, `${where}.tool_use_id`)
  const name = names.get(id)
  const message = {
    role: 'tool',
    tool_call_id: id,
    ...(name !== undefined && { tool_name: name }),
    content: toContent(readParts(block.content, `${where}.content`, isOwnForm)),
  }
  const isError = read.optional(block.is_error, `${where}.is_error`, read.flag)
  return isError === undefined ? message : markResult(message, isError)
}

function readAssistant(content: unknown, field: string, isOwnForm: boolean): ReadEntry {
  if (!Array.isArray(content)) {
    const message = { role: 'assistant', content: toContent(readParts(content, field, isOwnForm)) }
    return { messages: [{ message }], calls: [] }
  }
  let [text, thinking] = ['', '']
  const calls: Fields[] = []
  const names: [id: string, name: string][] = []
  for (const [at, value] of content.entries()) {
    const where = `${field}[${at}]`
    const block = read.fields(value, where)
    // One text may have been cut in two by a thought, so nothing stands between.
    if (block.type === 'text') text += read.text(block.text, `${where}.text`)
    else if (block.type === 'thinking') thinking += read.text(block.thinking, `${where}.thinking`)
    else if (block.type === 'tool_use') {
      const id = read.text(block.id, `${where}.id`)
      const name = read.text(block.name, `${where}.name`)
      names.push([id, name])
      const input = read.optional(block.input, `${where}.input`, read.jsonFields) ?? {}
      calls.push({ id, function: { name, arguments: input } })
    } else if (block.type !== 'redacted_thinking')
      refuseElsewhere(isOwnForm, `${where}.type`, onlyThere)
  }
  return { messages: [{ message: replyMessage(text, thinking, calls) }], calls: names }
}

/** Reads a content without calls and results: a text, or blocks. */
export function readParts(
  value: unknown,
  field: string,
  isOwnForm: boolean,
): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  return read.each(value, field, (block, where) => readBlock(block, where, isOwnForm)).flat()
}

export function readTexts(value: unknown, field: string, isOwnForm: boolean): readonly string[] {
  return readParts(value, field, isOwnForm).map((part, at) =>
    typeof part === 'string' ? part : refuse(`${field}[${at}]`, 'must be a text'),
  )
}

/** The parts of one block. Files take the form of the AI SDK, which keeps their bytes and types as they are. */
export function readBlock(
  block: Fields,
  where: string,
  isOwnForm: boolean,
): readonly ContentPart[] {
  switch (block.type) {
    case 'text':
      return [read.text(block.text, `${where}.text`)]
    case 'image':
      return [readImage(read.fields(block.source, `${where}.source`), `${where}.source`, isOwnForm)]
    case 'document':
      return readDocument(block, where, isOwnForm)
    case 'search_result': {
      const head = [block.title, block.source].filter(text => typeof text === 'string')
      return [...head, ...readTextBlocks(block.content, `${where}.content`, isOwnForm)]
    }
    // What a search of tools has found: its definition is among the tools of this request, and its name is all that stands here.
    case 'tool_reference':
      return [`Tool found: ${read.text(block.tool_name, `${where}.tool_name`)}`]
    default:
      refuseElsewhere(isOwnForm, `${where}.type`, onlyThere)
      return []
  }
}

const onlyThere = 'is a kind of block that only its own provider can read'

function readImage(source: Fields, where: string, isOwnForm: boolean): ContentPart {
  switch (source.type) {
    case 'base64': {
      const mediaType = read.text(source.media_type, `${where}.media_type`)
      return { type: 'image', image: read.text(source.data, `${where}.data`), mediaType }
    }
    case 'url':
      return { type: 'image', image: read.text(source.url, `${where}.url`) }
    default:
      return uploadedFile(
        isOwnForm,
        `${where}.type`,
        'must be "base64" or "url": uploaded files are not known here',
      )
  }
}

function readDocument(block: Fields, where: string, isOwnForm: boolean): readonly ContentPart[] {
  const field = `${where}.source`
  const source = read.fields(block.source, field)
  const title = read.optional(block.title, `${where}.title`, read.text)
  const titles = title === undefined ? [] : [title]
  const named = title === undefined ? {} : { filename: title }
  switch (source.type) {
    case 'text':
      return [...titles, read.text(source.data, `${field}.data`)]
    case 'content':
      return [...titles, ...readTextBlocks(source.content, `${field}.content`, isOwnForm)]
    case 'base64': {
      const mediaType = read.text(source.media_type, `${field}.media_type`)
      return [{ type: 'file', data: read.text(source.data, `${field}.data`), mediaType, ...named }]
    }
    case 'url': {
      const data = read.text(source.url, `${field}.url`)
      return [{ type: 'file', data, mediaType: 'application/pdf', ...named }]
    }
    default:
      return [
        uploadedFile(isOwnForm, `${field}.type`, 'must be "base64", "text", "content" or "url"'),
      ]
  }
}

/** The texts and images inside of a block. Documents do not hold documents, so that this ends. */
function readTextBlocks(value: unknown, field: string, isOwnForm: boolean): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  read.list(value, field)
  const isInner = ({ type }: Fields) => type === 'text' || type === 'image'
  return read
    .each(value, field, (block, where) =>
      isInner(block) ? readBlock(block, where, isOwnForm) : [],
    )
    .flat()
}
