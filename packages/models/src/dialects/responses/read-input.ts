import { type Fields, read, refuse } from '@throughline/core/fields'
import { type ContentPart, toContent } from '@throughline/core/messages'
import { present } from '@throughline/core/values'
import type { ChatRequest, NamedPlace } from '../adapter.ts'
import { messageList, replyMessage } from '../message-list.ts'
import { refuseElsewhere, uploadedFile } from '../own-form.ts'
import { readName } from '../read-tools.ts'
import { openInput } from './compaction.ts'
import { replyOf } from './ids.ts'
import { thoughtMark } from './to-response.ts'
import { flatName, searchName } from './wire.ts'

type ResponsesInput = Pick<ChatRequest, 'system' | 'messages' | 'origins'> &
  Pick<NamedPlace, 'past'> & {
    readonly references: NonNullable<NamedPlace['references']>
    /** Kinds of items that hold nothing for a model to read, and that other upstreams are not sent. */
    readonly leftOut: readonly string[]
    /** Whether an item asks to have the list compacted. */
    readonly isWished?: boolean
  }

/** Reads `input`: one text, or items. An item of an unknown kind is passed in its own form, and refused elsewhere. */
export function readInput(value: unknown, instructions: string, isOwnForm = false): ResponsesInput {
  const list = messageList([instructions])
  if (typeof value === 'string') {
    list.add({ role: 'user', content: value }, 0)
    return { ...list.result(1), references: [], leftOut: [] }
  }
  if (!Array.isArray(value)) refuse('input', 'must be a text or a list of items')
  const { items, isWished, past } = openInput(
    value.map((item, at) => read.fields(item, `input[${at}]`)),
  )
  const named = new Set(
    items.flatMap(item => (item.type === 'item_reference' ? (replyOf(item.id) ?? []) : [])),
  )
  const references: { at: number; reply: string }[] = []
  const leftOut = new Set<string>()
  let reply = emptyReply()

  /** Ends a reply. `at`: the first item that is no part of it. */
  function close(at: number): void {
    const { thinking, texts, calls } = reply
    if (thinking !== '' || texts.length > 0 || calls.length > 0)
      list.add(replyMessage(texts.join('\n'), thinking, calls), at - 1)
    reply = emptyReply()
  }

  for (const [at, item] of items.entries()) {
    const where = `input[${at}]`
    // Both may be without a type.
    const type =
      item.type ?? (item.role === undefined && item.id !== undefined ? 'item_reference' : 'message')
    // Of a reply that is named nothing is read twice.
    const isNamed = named.has(replyOf(item.id) ?? '')
    if (type === 'item_reference') {
      close(at)
      const name = replyOf(item.id)
      if (name !== undefined && references.at(-1)?.reply !== name)
        references.push({ at: list.count(), reply: name })
    } else if (type === 'message' && item.role === 'assistant') {
      if (isNamed) continue
      // A text behind a text without calls is another message.
      if (reply.texts.length > 0 && reply.calls.length === 0) close(at)
      reply.texts.push(readAssistantText(item, where, isOwnForm))
    } else if (type === 'reasoning') {
      if (!isNamed) reply.thinking += readThought(item, where)
    } else if (type === 'function_call' || type === 'custom_tool_call' || isSearch(item)) {
      if (!isNamed) reply.calls.push(readCall(item, where))
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      close(at)
      const content = toContent(readParts(item.output, `${where}.output`, isOwnForm))
      list.add(
        { role: 'tool', tool_call_id: read.text(item.call_id, `${where}.call_id`), content },
        at,
      )
    } else if (type === 'tool_search_output' && typeof item.call_id === 'string') {
      close(at)
      list.add({ role: 'tool', tool_call_id: item.call_id, content: foundTools(item, where) }, at)
    } else if (type === 'message') {
      close(at)
      addMessage(item, at)
    } else if (type === 'additional_tools' || type === 'compaction_trigger') {
      // The first is among the tools, the second a wish.
    } else if (isRecord(type)) leftOut.add(type)
    else {
      const name = typeof type === 'string' ? ` (${type.slice(0, 60)})` : ''
      refuseElsewhere(
        isOwnForm,
        `${where}.type`,
        `is a kind of item that only its own provider can read${name}`,
      )
    }
  }
  close(items.length)
  return { ...list.result(items.length), references, leftOut: [...leftOut], isWished, past }

  function addMessage(item: Fields, at: number): void {
    const where = `input[${at}]`
    const content = toContent(readParts(item.content, `${where}.content`, isOwnForm))
    if (item.role === 'user') list.add({ role: 'user', content }, at)
    else if (item.role !== 'system' && item.role !== 'developer') {
      refuse(`${where}.role`, 'must be "user", "assistant", "system" or "developer"')
    } else if (typeof content !== 'string')
      refuse(`${where}.content`, 'of a system message may hold only texts')
    else list.add({ role: 'system', content }, at)
  }
}

/** The items of one reply, which are one message of the log. */
const emptyReply = () => ({ thinking: '', texts: [] as string[], calls: [] as Fields[] })

function readAssistantText({ content }: Fields, where: string, isOwnForm: boolean): string {
  const field = `${where}.content`
  return readParts(content, field, isOwnForm)
    .map((part, at) =>
      typeof part === 'string' ? part : refuse(`${field}[${at}]`, 'must be a text'),
    )
    .join('')
}

/** The text of a thought: as it is, as a summary, or where a client kept only what we gave out for it to keep. */
function readThought(item: Fields, where: string): string {
  const texts = (name: string) =>
    (read.optional(item[name], `${where}.${name}`, read.list) ?? []).map((part, at) => {
      const { text = '' } = read.fields(part, `${where}.${name}[${at}]`)
      return read.text(text, `${where}.${name}[${at}].text`)
    })
  const kept = read.optional(item.encrypted_content, `${where}.encrypted_content`, read.text) ?? ''
  const thought = kept.startsWith(thoughtMark) ? kept.slice(thoughtMark.length) : ''
  return texts('content').join('') || texts('summary').join('\n\n') || thought
}

/** Whether items of a kind only tell what a provider has done, without its result. */
const isRecord = (type: unknown): type is string =>
  type === 'web_search_call' || type === 'mcp_list_tools'

/** Whether an item is a search of tools that the client ran. */
const isSearch = ({ type, call_id: id }: Fields) =>
  type === 'tool_search_call' && typeof id === 'string'

/** What a search of tools has found: the definitions are among the tools of the request. */
function foundTools(item: Fields, where: string): string {
  const names = read.each(item.tools, `${where}.tools`, ({ name }) =>
    typeof name === 'string' ? name : '',
  )
  return names.length === 0 ? 'No tools found.' : `Tools found: ${names.join(', ')}`
}

function readCall(item: Fields, where: string): Fields {
  if (isSearch(item)) {
    const json = JSON.stringify(read.jsonFields(item.arguments, `${where}.arguments`))
    const id = read.text(item.call_id, `${where}.call_id`)
    return { id, type: 'function', function: { name: searchName, arguments: json } }
  }
  const name = readName(item.name, `${where}.name`)
  const namespace = read.optional(item.namespace, `${where}.namespace`, read.text) ?? ''
  const isCustom = item.type === 'custom_tool_call'
  const json = isCustom
    ? JSON.stringify({ input: read.text(item.input, `${where}.input`) })
    : read.text(item.arguments, `${where}.arguments`)
  return {
    id: read.text(item.call_id, `${where}.call_id`),
    type: 'function',
    function: { name: flatName({ namespace, name }), arguments: json },
  }
}

/** Reads a content or an output: a text, or parts, which take the form of chat completions. */
export function readParts(
  value: unknown,
  field: string,
  isOwnForm: boolean,
): readonly ContentPart[] {
  if (typeof value === 'string') return [value]
  return read.each(value, field, (part, where) => readPart(part, where, isOwnForm)).flat()
}

function readPart(part: Fields, where: string, isOwnForm: boolean): readonly ContentPart[] {
  switch (part.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return [read.text(part.text, `${where}.text`)]
    case 'refusal':
      return [read.text(part.refusal, `${where}.refusal`)]
    case 'input_image': {
      const url = read.optional(part.image_url, `${where}.image_url`, read.text)
      if (url === undefined) return [readUpload(where, isOwnForm)]
      const detail = read.optional(part.detail, `${where}.detail`, read.text)
      return [{ type: 'image_url', image_url: present({ url, detail }) }]
    }
    case 'input_file':
      return [readFile(part, where, isOwnForm)]
    case 'input_audio':
      return [
        {
          type: 'input_audio',
          input_audio: read.jsonFields(part.input_audio, `${where}.input_audio`),
        },
      ]
    default:
      refuseElsewhere(
        isOwnForm,
        `${where}.type`,
        'is a kind of content that only its own provider can read',
      )
      return []
  }
}

function readFile(part: Fields, where: string, isOwnForm: boolean): ContentPart {
  const filename = read.optional(part.filename, `${where}.filename`, read.text)
  const url = read.optional(part.file_url, `${where}.file_url`, read.text)
  if (url !== undefined) return present({ type: 'file', data: url, mediaType: '', filename })
  const file_data = read.optional(part.file_data, `${where}.file_data`, read.text)
  if (file_data === undefined) return readUpload(where, isOwnForm)
  return { type: 'file', file: present({ filename, file_data }) }
}

const readUpload = (where: string, isOwnForm: boolean) =>
  uploadedFile(isOwnForm, where, 'must hold the file itself: uploaded files are not known here')
