import { type Fields, isFields, read, refuse } from '@throughline/core/fields'
import { type ContentPart, type MessageLike, toContent } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import { isReserved, reservedName } from '@throughline/history/log'

/** A message of the client that is known by its id. */
export interface UIReference {
  readonly id: string | undefined
  readonly branch?: string | undefined
}

/** What the transport of `useChat` asks for. */
export type UIRequest = Readonly<ReturnType<typeof readUIRequest>>

/** A message of the client with the messages that the log has for it. */
export interface EarlierMessage {
  readonly id: string | undefined
  readonly messages: readonly MessageLike[]
}

/** Reads the body of the AI SDK's default transport. Of its messages only the last one is new. */
export function readUIRequest(value: unknown) {
  const body = read.body(value)
  const list = read.optional(body.messages, 'messages', read.list) ?? []
  const isAlone = body.message !== undefined && body.message !== null
  const where = isAlone ? 'message' : `messages[${list.length - 1}]`
  const last = read.fields(isAlone ? body.message : list.at(-1), where)
  const past = isAlone ? list : list.slice(0, -1)
  const conversation = read.text(body.id, 'id')
  if (conversation === '') refuse('id', 'must not be empty')
  if (isReserved(conversation)) refuse('id', reservedName(conversation))
  const isResults = last.role === 'assistant'
  const messages: readonly MessageLike[] = isResults
    ? readResults(last, where)
    : [readUser(last, where)]
  const isNamed = (body.messageId ?? undefined) !== undefined
  const isRepeated = body.trigger === 'regenerate-message' || isNamed
  return {
    conversation,
    /** What is new: the user's message, or the results of tools that the client has run. */
    messages,
    /** The last message of the client: the user's, or that of the assistant whose tools have run. */
    last: toReference(last),
    /** Whether results are brought: the turn goes on. */
    isResults,
    /** Whether the client says which message it wants answered again: else it means the last one. */
    isNamed,
    before: isFields(past.at(-1)) ? toReference(past.at(-1) as Fields) : undefined,
    /** Whether the message was there before: its answer is wanted once more, or the message was edited. */
    isAgain: !isResults && isRepeated,
    earlier: () =>
      past.map((value, at) =>
        readEarlier(read.fields(value, `messages[${at}]`), `messages[${at}]`),
      ),
  }
}

const toReference = ({ id, metadata }: Fields): UIReference => ({
  id: readId(id),
  branch: isFields(metadata) ? readId(metadata.branch) : undefined,
})

const readId = (id: unknown) => (typeof id === 'string' && id !== '' ? id : undefined)

function readUser(message: Fields, where: string): MessageLike {
  if (message.role !== 'user')
    refuse(`${where}.role`, 'must be "user", or "assistant" with results of tools')
  const content = toContent(readParts(message.parts, `${where}.parts`))
  if (content.length === 0) refuse(`${where}.parts`, 'must hold a text or a file')
  return { role: 'user', content }
}

function readResults(message: Fields, where: string): readonly MessageLike[] {
  const parts = read.list(message.parts, `${where}.parts`)
  const results = parts.flatMap((value, at) => {
    const part = read.fields(value, `${where}.parts[${at}]`)
    return isTool(part) ? toResult(part, `${where}.parts[${at}]`) : []
  })
  if (results.length === 0)
    refuse(`${where}.parts`, 'must hold the result of a tool, or a user message last')
  return results
}

const isTool = ({ type }: Fields) =>
  type === 'dynamic-tool' || (typeof type === 'string' && type.startsWith('tool-'))

const nameOf = ({ type, toolName }: Fields, where: string) =>
  type === 'dynamic-tool'
    ? read.text(toolName, `${where}.toolName`)
    : String(type).slice('tool-'.length)

function toResult(part: Fields, where: string): readonly MessageLike[] {
  const id = read.text(part.toolCallId, `${where}.toolCallId`)
  const result = (content: string) => [
    { role: 'tool', tool_call_id: id, name: nameOf(part, where), content },
  ]
  switch (part.state) {
    case 'output-available':
      return result(toText(part.output, `${where}.output`))
    case 'output-error':
      return result(`Error: ${read.text(part.errorText, `${where}.errorText`)}`)
    case 'output-denied':
      return result('Error: the user did not allow it')
    default:
      return []
  }
}

/** A text as it is, anything else as JSON. */
const toText = (value: unknown, where: string) =>
  typeof value === 'string' ? value : (JSON.stringify(read.json(value, where)) ?? '')

/** A message of the past. What an assistant said and called becomes one message for each step, with its results. */
function readEarlier(message: Fields, where: string): EarlierMessage {
  const id = readId(message.id)
  if (message.role === 'user') return { id, messages: [readUser(message, where)] }
  if (message.role !== 'assistant') return { id, messages: [] }
  const messages: MessageLike[] = []
  let [text, calls, results]: [string, object[], MessageLike[]] = ['', [], []]
  const close = () => {
    if (text !== '' || calls.length > 0)
      messages.push({
        role: 'assistant',
        content: text,
        ...(calls.length > 0 && { tool_calls: calls }),
      })
    for (const result of results) messages.push(result)
    ;[text, calls, results] = ['', [], []]
  }
  for (const [at, value] of read.list(message.parts, `${where}.parts`).entries()) {
    const place = `${where}.parts[${at}]`
    const part = read.fields(value, place)
    if (part.type === 'step-start') close()
    if (part.type === 'text') text += read.text(part.text, `${place}.text`)
    if (!isTool(part)) continue
    const id = read.text(part.toolCallId, `${place}.toolCallId`)
    const json = toText(part.input ?? {}, `${place}.input`)
    calls.push({ id, type: 'function', function: { name: nameOf(part, place), arguments: json } })
    for (const result of toResult(part, place)) results.push(result)
  }
  close()
  return { id, messages }
}

/** Reads the parts of a UI message: texts and files. What only the client shows is left out. */
function readParts(value: unknown, field: string): readonly ContentPart[] {
  return read.list(value, field).flatMap((item, at) => {
    const where = `${field}[${at}]`
    const part = read.fields(item, where)
    if (part.type === 'text') return [read.text(part.text, `${where}.text`)]
    return part.type === 'file' ? [readFile(part, where)] : []
  })
}

function readFile(part: Fields, where: string): ContentPart {
  const url = read.text(part.url, `${where}.url`)
  const mediaType = read.text(part.mediaType, `${where}.mediaType`)
  if (mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const filename = read.optional(part.filename, `${where}.filename`, read.text)
  return present({ type: 'file', data: url, mediaType, filename })
}
