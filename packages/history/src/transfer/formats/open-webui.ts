import { refuse } from '@throughline/core/fields'
import { attempt } from '@throughline/core/values'
import { gatherItems } from './read-blocks.ts'
import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { resultText, toText, withFiles } from './source-text.ts'
import { gather, sayText, sign, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** Open WebUI's export of chats: a list of trees. */
export const openWebui: Format = {
  name: 'Open WebUI',
  prefix: 'open-webui',
  isWhole: false,
  matches: first => has(first, 'chat') || has(first, 'history', 'models'),
  read([item]) {
    const { fields: row, place, text, time, needInner } = placeFields(item!)
    const chat = 'chat' in row ? needInner('chat') : placeFields(item!)
    const history = chat.needInner('history')
    return {
      id: text('id', row.id ?? chat.fields.id),
      title: text('title', row.title ?? chat.fields.title),
      // The same id as in the header that names who speaks.
      person: text('user_id', row.user_id || null),
      time: time('created_at', row.created_at ?? chat.fields.timestamp),
      current: history.text('currentId'),
      nodes: history.entries('messages').map(([id, message]) => readNode(id, message)),
      place,
    }
  },
}

function readNode(id: string, message: PlacedFields): SourceNode {
  const { fields, place, text, time, needText, items } = message
  const role = needText('role')
  const author = { time: time('timestamp'), model: fields.model }
  const files = filesOf(message)
  const content = resultText(fields.content)
  return { id, parent: text('parentId'), messages: sign(messagesIn(), author), place }

  function messagesIn(): readonly UnsignedMessage[] {
    if (role === 'assistant') {
      const output = items('output')
      if (output.length === 0) return readDetails(content, id)
      const gathered = gatherItems()
      for (const item of output) gathered.take(placeFields(item))
      gathered.close()
      return gathered.messages
    }
    if (role !== 'user' && role !== 'system')
      refuse(`${place.path}.role`, 'must be user, assistant or system')
    return sayText(role, withFiles([content], files))
  }
}

/** Files stand by their name, or in a record of their own. */
function filesOf({ each, fileNames }: PlacedFields): readonly string[] {
  const names = fileNames('files', 'name', 'type')
  const inner = each('files').map(({ fields: { file } }) =>
    has(file, 'filename') ? toText(file.filename) : '',
  )
  return names.map((name, at) => inner[at] || name)
}

const opening = '<details'
const closing = '</details>'

/** An answer without items has its thoughts and calls in its text, as `<details type="…">` with escaped attributes. */
function readDetails(text: string, id: string): readonly UnsignedMessage[] {
  const gathered = gather({
    joinTexts: texts => texts.join('').trim(),
    joinThoughts: thoughts => thoughts.join(''),
  })
  let [calls, from] = [0, 0]
  for (let at = text.indexOf(opening); at >= 0; at = text.indexOf(opening, from)) {
    const headEnd = text.indexOf('>', at)
    const end = headEnd < 0 ? -1 : text.indexOf(closing, headEnd)
    if (end < 0) break
    const { type, name, ...rest } = readAttributes(text.slice(at + opening.length, headEnd))
    gathered.text(text.slice(from, at))
    from = end + closing.length
    if (type === 'reasoning')
      gathered.open.thoughts.push(plainThoughts(text.slice(headEnd + 1, end)))
    else if (type === 'tool_calls' && name !== undefined) {
      const callId = rest.id ?? `${id}-${calls}`
      calls += 1
      gathered.call({ id: callId, name, arguments: fromJsonText(rest.arguments ?? '') })
      gathered.add({ message: toResult(callId, toText(fromJsonText(rest.result ?? ''))) })
    } else gathered.text(text.slice(at, from))
  }
  gathered.text(text.slice(from))
  gathered.close()
  return gathered.messages
}

const fromJsonText = (text: string): unknown => attempt(() => JSON.parse(text), text)

/** `name="value"` pairs. Values have no quotes inside: those are escaped. */
function readAttributes(head: string): Readonly<Record<string, string | undefined>> {
  const attributes: Record<string, string> = Object.create(null)
  const pieces = head.split('"')
  for (let at = 0; at + 1 < pieces.length; at += 2)
    attributes[pieces[at]!.replace('=', '').trim()] = unescapeHtml(pieces[at + 1]!)
  return attributes
}

const escapes: Readonly<Record<string, string>> = {
  quot: '"',
  '#x27': "'",
  '#39': "'",
  lt: '<',
  gt: '>',
  amp: '&',
}
const unescapeHtml = (text: string): string =>
  text.replace(/&(quot|#x27|#39|lt|gt|amp);/g, (_, name: string) => escapes[name]!)

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
