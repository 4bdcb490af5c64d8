import { type Fields, read, refuse } from '@throughline/core/fields'
import {
  type ContentPart,
  type MessageLike,
  markResult,
  toContent,
} from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import { messageList, replyMessage } from '../message-list.ts'
import { readOnce } from '../read-once.ts'
import { readName } from '../read-tools.ts'
import { either } from './either-name.ts'

/** Reads `contents`. `system` are the texts of the system prompt. */
export function readContents(system: readonly string[], values: readonly unknown[]) {
  const list = messageList(system)
  for (const [at, value] of values.entries())
    for (const { message, blocks } of readEntry(value, at)) list.add(message, at, blocks)
  return list.result(values.length)
}

interface PlacedMessage {
  readonly message: MessageLike
  readonly blocks?: readonly number[]
}

const readEntry = readOnce((value, at): readonly PlacedMessage[] => {
  const where = `contents[${at}]`
  const { role, parts } = read.fields(value, where)
  const field = `${where}.parts`
  switch (role) {
    case 'model':
      return [{ message: readReply(parts, field) }]
    case undefined:
    case null:
    case 'user':
    case 'function':
      return readUser(parts, field)
    default:
      return refuse(`${where}.role`, 'must be "user" or "model"')
  }
})

function readReply(value: unknown, field: string): MessageLike {
  let [text, thinking] = ['', '']
  const calls: Fields[] = []
  read.each(value, field, (part, where) => {
    const call = either(part, 'functionCall')
    if (call !== undefined) calls.push(readCall(read.fields(call, `${where}.functionCall`), where))
    else if (part.text === undefined) refuse(where, 'must be a text or a functionCall')
    else if (part.thought === true) thinking += read.text(part.text, `${where}.text`)
    else text += read.text(part.text, `${where}.text`)
  })
  return replyMessage(text, thinking, calls)
}

function readCall({ id, name, args }: Fields, where: string): Fields {
  const field = `${where}.functionCall`
  return {
    ...present({ id: read.optional(id, `${field}.id`, read.text) }),
    function: {
      name: readName(name, `${field}.name`),
      arguments: read.optional(args, `${field}.args`, read.jsonFields) ?? {},
    },
  }
}

/** Reads what a user said. Each result is a message of its own, and what else is said follows. */
function readUser(value: unknown, field: string): readonly PlacedMessage[] {
  const results: Required<PlacedMessage>[] = []
  const parts: ContentPart[] = []
  const blocks: number[] = []
  let at = 0
  read.each(value, field, (part, where) => {
    const response = either(part, 'functionResponse')
    const place = at++
    if (response === undefined) {
      parts.push(readPart(part, where))
      blocks.push(place)
    } else {
      const message = readResult(read.fields(response, `${where}.functionResponse`), where)
      results.push({ message, blocks: [place] })
    }
  })
  if (results.length === 0) return [{ message: { role: 'user', content: toContent(parts) } }]
  if (parts.length === 0) return results
  return [...results, { message: { role: 'user', content: toContent(parts) }, blocks }]
}

function readResult({ id, name, response, parts }: Fields, where: string): MessageLike {
  const field = `${where}.functionResponse`
  const told = read.optional(response, `${field}.response`, read.jsonFields) ?? {}
  const files = read.each(parts, `${field}.parts`, readPart)
  const message = {
    role: 'tool',
    ...present({ tool_call_id: read.optional(id, `${field}.id`, read.text) }),
    tool_name: readName(name, `${field}.name`),
    content: toContent([textOf(told), ...files]),
  }
  return told.error === undefined ? message : markResult(message, true)
}

/** The text of a result. Clients put it into a field of this name, and other values are kept as JSON. */
function textOf(told: Fields): string {
  const [[name, value] = [], ...others] = Object.entries(told)
  const isPlain =
    others.length === 0 && ['output', 'result', 'content', 'error'].includes(String(name))
  return isPlain && typeof value === 'string' ? value : JSON.stringify(told)
}

function readPart(part: Fields, where: string): ContentPart {
  if (part.text !== undefined) return read.text(part.text, `${where}.text`)
  const inline = either(part, 'inlineData')
  const file = either(part, 'fileData')
  if (inline !== undefined)
    return readFile(read.fields(inline, `${where}.inlineData`), 'data', where)
  if (file !== undefined) return readFile(read.fields(file, `${where}.fileData`), 'fileUri', where)
  return refuse(where, 'must be a text, inlineData, fileData or a functionResponse')
}

/** A file in the form of the AI SDK, which keeps bytes and types as they are. */
function readFile(file: Fields, name: 'data' | 'fileUri', where: string): ContentPart {
  const data = read.text(either(file, name), `${where}.${name}`)
  const mediaType = read.optional(either(file, 'mimeType'), `${where}.mimeType`, read.text)
  if (mediaType?.startsWith('image/')) return { type: 'image', image: data, mediaType }
  return { type: 'file', data, mediaType: mediaType ?? 'application/octet-stream' }
}

/** The texts of the system prompt: a text, or an entry with parts. */
export function readSystem(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  if (typeof value === 'string') return [value]
  const { parts } = read.fields(value, 'systemInstruction')
  return read.each(
    Array.isArray(parts) ? parts : [parts],
    'systemInstruction.parts',
    ({ text }, where) => read.text(text, `${where}.text`),
  )
}
