import type { MessageLike } from '../../log/message.ts'
import { present } from '../../log/present.ts'
import {
  type Fields,
  isFields,
  optional,
  readBody,
  readFields,
  readList,
  readText,
  refuse,
} from '../faces/fields.ts'
import { type Part, toContent } from '../faces/to-content.ts'

/** What the transport of `useChat` asks for. */
export interface UiRequest {
  readonly conversation: string
  /** The user's message, which is to be answered. */
  readonly message: MessageLike
  readonly messageId: string | undefined
  /** The id of the message before it, if the client sends one. */
  readonly before: string | undefined
  /** Whether the message was there before: its answer is wanted once more, or the message was edited. */
  readonly isAgain: boolean
  /** Default: the first model of the upstream. */
  readonly model: string | undefined
  readonly system: string | undefined
}

/** Reads the body of the AI SDK's default transport. Of its messages only the last one is new. */
export function readUiBody(value: unknown): UiRequest {
  const body = readBody(value)
  const messages = optional(body.messages, 'messages', readList) ?? []
  const last = optional(body.message, 'message', readFields) ?? messages.at(-1)
  const where = body.message === undefined ? `messages[${messages.length - 1}]` : 'message'
  const message = readFields(last, where)
  if (message.role !== 'user')
    refuse(`${where}.role`, 'must be "user": tools run on the server, not at the client')
  const before = body.message === undefined ? messages.at(-2) : messages.at(-1)
  const conversation = readText(body.id, 'id')
  if (conversation === '') refuse('id', 'must not be empty')
  const content = toContent(readParts(message.parts, `${where}.parts`))
  if (content.length === 0) refuse(`${where}.parts`, 'must hold a text or a file')
  return {
    conversation,
    message: { role: 'user', content },
    messageId: readId(message.id),
    before: isFields(before) ? readId(before.id) : undefined,
    isAgain: body.trigger === 'regenerate-message' || (body.messageId ?? undefined) !== undefined,
    model: optional(body.model, 'model', readText),
    system: optional(body.system, 'system', readText),
  }
}

/** An id without which a message can be answered too. */
const readId = (id: unknown) => (typeof id === 'string' && id !== '' ? id : undefined)

/** Reads the parts of a UI message: texts and files. What only the client shows is left out. */
function readParts(value: unknown, field: string): readonly Part[] {
  return readList(value, field).flatMap((given, at) => {
    const where = `${field}[${at}]`
    const part = readFields(given, where)
    if (part.type === 'text') return [readText(part.text, `${where}.text`)]
    return part.type === 'file' ? [readFile(part, where)] : []
  })
}

function readFile(part: Fields, where: string): Part {
  const url = readText(part.url, `${where}.url`)
  const mediaType = readText(part.mediaType, `${where}.mediaType`)
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const filename = optional(part.filename, `${where}.filename`, readText)
  return present({ type: 'file', data: url, mediaType, filename })
}
