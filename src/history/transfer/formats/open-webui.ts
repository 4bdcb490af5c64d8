import { attempt } from '../../../log/attempt.ts'
import {
  type Fields,
  optional,
  readEach,
  readFields,
  readList,
  readText,
  refuse,
} from '../../../log/fields.ts'
import type { Place } from '../import-error.ts'
import { resultText } from './read-blocks.ts'
import { createItems } from './read-items.ts'
import {
  type Call,
  inside,
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

/** Open WebUI's export of chats: a list of trees. */
export const openWebui: Format = {
  name: 'Open WebUI',
  prefix: 'open-webui',
  isWhole: false,
  matches: first => has(first, 'chat') || has(first, 'history', 'models'),
  read([item]) {
    const { value, place } = item!
    const row = readFields(value, place.path)
    const field = 'chat' in row ? `${place.path}.chat` : place.path
    const chat = 'chat' in row ? readFields(row.chat, field) : row
    const history = readFields(chat.history, `${field}.history`)
    const messages = Object.entries(readFields(history.messages, `${field}.history.messages`))
    return {
      id: optionalText(row.id ?? chat.id, `${place.path}.id`),
      title: optionalText(row.title ?? chat.title, `${place.path}.title`),
      // The same id as in the header that names who speaks.
      person: optionalText(row.user_id || undefined, `${place.path}.user_id`),
      time: readTime(row.created_at ?? chat.timestamp, `${place.path}.created_at`),
      current: optionalText(history.currentId, `${field}.history.currentId`),
      nodes: messages.map(([id, one]) =>
        readNode(id, one, { line: place.line, path: inside(`${field}.history.messages`, id) }),
      ),
      place,
    }
  },
}

function readNode(id: string, value: unknown, place: Place & { readonly path: string }): SourceNode {
  const field = place.path
  const message = readFields(value, field)
  const role = readText(message.role, `${field}.role`)
  const time = readTime(message.timestamp, `${field}.timestamp`)
  const files = readFiles(message.files, `${field}.files`)
  const content = resultText(message.content)
  return {
    id,
    parent: optionalText(message.parentId, `${field}.parentId`),
    messages: withKnown(readSaid(), { time, model: message.model }),
    place,
  }

  function readSaid(): readonly Said[] {
    if (role === 'assistant') {
      const output = optional(message.output, `${field}.output`, readList) ?? []
      return output.length > 0 ? readOutput(output, `${field}.output`) : readDetails(content, id)
    }
    if (role !== 'user' && role !== 'system') refuse(`${field}.role`, 'must be user, assistant or system')
    const text = withFiles([content], files)
    return text === '' ? [] : [{ message: { role, content: text } }]
  }
}

/** Files stand by their name, or in a record of their own. */
function readFiles(value: unknown, field: string): readonly string[] {
  const names = readNames(value, field, 'name', 'type')
  const inner = readEach(value, field, ({ file }) => (has(file, 'filename') ? toText(file.filename) : ''))
  return names.map((name, at) => inner[at] || name)
}

function readOutput(output: readonly unknown[], field: string): readonly Said[] {
  const items = createItems()
  const found = output.flatMap((item, at) =>
    items.take(readFields(item, `${field}[${at}]`), `${field}[${at}]`),
  )
  return [...found, ...items.flush()].map(({ time: _, ...said }) => said)
}

const opening = '<details'
const closing = '</details>'

/** An answer without items has its thoughts and calls in its text, as `<details type="…">` with escaped attributes. */
function readDetails(text: string, id: string): readonly Said[] {
  const found: Said[] = []
  let [said, thinking, calls]: [string, string, number] = ['', '', 0]
  let from = 0

  function flush(call?: Call): void {
    const message = toAssistant({ text: said.trim(), thinking, ...(call && { calls: [call] }) })
    if (message) found.push({ message })
    ;[said, thinking] = ['', '']
  }

  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, from)) {
    const headEnd = text.indexOf('>', at)
    const end = headEnd < 0 ? -1 : text.indexOf(closing, headEnd)
    if (end < 0) break
    const { type, name, ...rest } = readAttributes(text.slice(at + opening.length, headEnd))
    said += text.slice(from, at)
    from = end + closing.length
    if (type === 'reasoning') thinking += plainThoughts(text.slice(headEnd + 1, end))
    else if (type === 'tool_calls' && name !== undefined) {
      const callId = rest.id ?? `${id}-${calls}`
      calls += 1
      flush({ id: callId, name, arguments: fromJsonText(rest.arguments ?? '') })
      found.push({ message: toResult(callId, toText(fromJsonText(rest.result ?? ''))) })
    } else said += text.slice(at, from)
  }
  said += text.slice(from)
  flush()
  return found
}

/** An attribute is the JSON of a text, or a text. */
const fromJsonText = (text: string): unknown => attempt(() => JSON.parse(text), text)

/** `name="value"` pairs. Values have no quotes inside: those are escaped. */
function readAttributes(head: string): Readonly<Record<string, string | undefined>> {
  const found: Record<string, string> = Object.create(null)
  const pieces = head.split('"')
  for (let at = 0; at + 1 < pieces.length; at += 2)
    found[pieces[at]!.replace('=', '').trim()] = unescapeHtml(pieces[at + 1]!)
  return found
}

const escapes: Fields = { quot: '"', '#x27': "'", '#39': "'", lt: '<', gt: '>', amp: '&' }
const unescapeHtml = (text: string): string =>
  text.replace(/&(quot|#x27|#39|lt|gt|amp);/g, (_, name: string) => escapes[name] as string)

/** Without the summary and the marks of a quotation. */
function plainThoughts(text: string): string {
  const summary = text.indexOf('</summary>')
  const inner = summary < 0 ? text : text.slice(summary + '</summary>'.length)
  return unescapeHtml(inner)
    .split('\n')
    .map(line => (line.startsWith('> ') ? line.slice(2) : line === '>' ? '' : line))
    .join('\n')
    .trim()
}
