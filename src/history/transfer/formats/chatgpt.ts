import {
  type Fields,
  isFields,
  optional,
  readEach,
  readFields,
  readList,
  readText,
  refuse,
} from '../../../log/fields.ts'
import type { MessageLike } from '../../../log/message.ts'
import {
  inside,
  optionalText,
  readNames,
  readTime,
  toAssistant,
  toResult,
  toText,
  withFiles,
  withKnown,
} from './read-parts.ts'
import { type Format, has, type SourceNode } from './source.ts'

/** ChatGPT's `conversations.json`: a list of trees. */
export const chatgpt: Format = {
  name: 'ChatGPT',
  prefix: 'chatgpt',
  isWhole: false,
  matches: first => has(first, 'mapping'),
  read([item]) {
    const { value, place } = item!
    const field = place.path
    const fields = readFields(value, field)
    const mapping = Object.entries(readFields(fields.mapping, `${field}.mapping`))
    const parsed = new Map<string, ParsedNode>()
    for (const [id, given] of mapping) parsed.set(id, parseNode(given, inside(`${field}.mapping`, id)))
    const around = { line: place.line, callOf: callsOf(parsed), thoughtsBefore: thoughtsIn(parsed) }
    return {
      id: optionalText(fields.conversation_id ?? fields.id, `${field}.id`),
      title: optionalText(fields.title, `${field}.title`),
      time: readTime(fields.create_time, `${field}.create_time`),
      current: optionalText(fields.current_node, `${field}.current_node`),
      nodes: [...parsed].map(([id, node]) => toNode(id, node, around)),
      place,
    }
  },
}

interface ParsedNode {
  readonly field: string
  readonly parent: string | undefined
  readonly message: Fields | undefined
  readonly role: string
}

function parseNode(given: unknown, field: string): ParsedNode {
  const node = readFields(given, field)
  const message = optional(node.message, `${field}.message`, readFields)
  const author = message && readFields(message.author, `${field}.message.author`)
  return {
    field,
    parent: optionalText(node.parent, `${field}.parent`),
    message,
    role: author ? readText(author.role, `${field}.message.author.role`) : '',
  }
}

/** Which call a result answers: the nearest one above it. A row of results is walked once. */
function callsOf(nodes: ReadonlyMap<string, ParsedNode>): (id: string) => string {
  const known = new Map<string, string>()
  return id => {
    const passed: string[] = []
    let at: string | undefined = id
    while (at !== undefined && !known.has(at) && nodes.get(at)?.role === 'tool') {
      // A circle is found where the tree is walked.
      known.set(at, '')
      passed.push(at)
      at = nodes.get(at)!.parent
    }
    const call = at === undefined ? '' : known.get(at) || at
    for (const one of passed) known.set(one, call)
    return call
  }
}

function toNode(id: string, { field, parent, message, role }: ParsedNode, around: Around): SourceNode {
  const place = { line: around.line, path: field }
  if (!message) return { id, parent, messages: [], place }
  const where = `${field}.message`
  const metadata = optional(message.metadata, `${where}.metadata`, readFields) ?? {}
  const files = readNames(metadata.attachments, `${where}.metadata.attachments`, 'name')
  const text = withFiles([readContent(message, where)], files)
  const { name } = message.author as Fields
  const time = readTime(message.create_time, `${where}.create_time`)
  const said = toMessage(text)
  const messages = withKnown(said ? [{ message: said }] : [], { time, model: metadata.model_slug, name })
  return { id, parent, messages, place }

  function toMessage(text: string): MessageLike | undefined {
    if (role === 'tool') return toResult(around.callOf(id), text)
    if (role === 'assistant') {
      const { recipient } = message!
      if (text === '') return undefined
      const thinking = around.thoughtsBefore(parent)
      if (typeof recipient !== 'string' || recipient === 'all') return toAssistant({ text, thinking })
      return toAssistant({ thinking, calls: [{ id, name: recipient, arguments: text }] })
    }
    if (role !== 'user' && role !== 'system')
      return refuse(`${where}.author.role`, 'must be user, assistant, system or tool')
    // What the user wrote about himself is no message of this conversation.
    const isContext = contexts.has(contentOf(message!, where).content_type)
    return text === '' ? undefined : { role: isContext ? 'system' : role, content: text }
  }
}

/** What a node must know of others. */
interface Around {
  readonly line: number
  readonly callOf: (id: string) => string
  readonly thoughtsBefore: (parent: string | undefined) => string
}

const contexts: ReadonlySet<unknown> = new Set(['user_editable_context', 'model_editable_context'])
/** Nodes of thoughts, which join the answer that follows them. */
const thoughts: ReadonlySet<unknown> = new Set(['thoughts', 'reasoning_recap'])

const contentOf = (message: Fields, field: string): Fields => readFields(message.content, `${field}.content`)

function readContent(message: Fields, field: string): string {
  const content = contentOf(message, field)
  if (thoughts.has(content.content_type)) return ''
  if (contexts.has(content.content_type)) {
    const { user_profile, user_instructions, model_set_context } = content
    return withFiles([user_profile, user_instructions, model_set_context].map(toText), [])
  }
  const parts = optional(content.parts, `${field}.content.parts`, readList)
  if (!parts) return toText(content.text ?? content.result ?? content.content)
  return withFiles(parts.map(readPart), [])
}

/** An answer has a few thoughts before it. */
const mostThoughts = 16

/** The thoughts right before an answer. */
function thoughtsIn(nodes: ReadonlyMap<string, ParsedNode>): Around['thoughtsBefore'] {
  return parent => {
    const found: string[] = []
    let at = parent === undefined ? undefined : nodes.get(parent)
    for (let left = mostThoughts; left > 0 && at?.message; left--) {
      const content = contentOf(at.message, `${at.field}.message`)
      if (!thoughts.has(content.content_type)) break
      const field = `${at.field}.message.content.thoughts`
      found.unshift(readThoughts(content.thoughts, field))
      at = at.parent === undefined ? undefined : nodes.get(at.parent)
    }
    return found.filter(text => text !== '').join('\n')
  }
}

/** A part: a text, spoken words, or an image, which has no name of its own. */
function readPart(part: unknown): string {
  if (!isFields(part)) return toText(part)
  if (typeof part.text === 'string') return part.text
  return typeof part.content_type === 'string' && part.content_type.startsWith('image') ? '[image]' : ''
}

function readThoughts(value: unknown, field: string): string {
  const texts = readEach(value, field, ({ summary, content }) => toText(content ?? summary))
  return texts.join('\n')
}
