import { isFields, refuse } from '@throughline/core/fields'
import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { toText, withFiles } from './source-text.ts'
import { sayAnswer, sayText, sign, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** ChatGPT's `conversations.json`: a list of trees. */
export const chatgpt: Format = {
  name: 'ChatGPT',
  prefix: 'chatgpt',
  isWhole: false,
  matches: first => has(first, 'mapping'),
  read([item]) {
    const { fields, place, text, time, entries } = placeFields(item!)
    const parsed = new Map(entries('mapping').map(([id, node]) => [id, parseNode(node)]))
    const around = { callOf: callsOf(parsed), thoughtsBefore: thoughtsIn(parsed) }
    return {
      id: text('id', fields.conversation_id ?? fields.id),
      title: text('title'),
      time: time('create_time'),
      current: text('current_node'),
      nodes: [...parsed].map(([id, node]) => toNode(id, node, around)),
      place,
    }
  },
}

interface ParsedNode extends Pick<SourceNode, 'parent' | 'place'> {
  readonly message: PlacedFields | undefined
  readonly role: string
}

function parseNode({ place, text, inner }: PlacedFields): ParsedNode {
  const message = inner('message')
  const role = message?.needInner('author').needText('role') ?? ''
  return { parent: text('parent'), place, message, role }
}

/** Which call a result answers: the nearest one above it. A row of results is walked once. */
function callsOf(nodes: ReadonlyMap<string, ParsedNode>): (id: string) => string {
  const callOf = new Map<string, string>()
  return id => {
    const passed: string[] = []
    let at: string | undefined = id
    while (at !== undefined && !callOf.has(at) && nodes.get(at)?.role === 'tool') {
      // A circle is found where the tree is walked.
      callOf.set(at, '')
      passed.push(at)
      at = nodes.get(at)!.parent
    }
    const call = at === undefined ? '' : callOf.get(at) || at
    for (const one of passed) callOf.set(one, call)
    return call
  }
}

function toNode(
  id: string,
  { parent, place, message, role }: ParsedNode,
  around: Around,
): SourceNode {
  if (!message) return { id, parent, messages: [], place }
  const metadata = message.inner('metadata')
  const text = withFiles([readContent(message)], metadata?.fileNames('attachments', 'name'))
  const { name } = message.needInner('author').fields
  const author = { time: message.time('create_time'), model: metadata?.fields.model_slug, name }
  return { id, parent, messages: sign(messagesIn(message), author), place }

  function messagesIn({ fields, place: { path } }: PlacedFields): readonly UnsignedMessage[] {
    if (role === 'tool') return [{ message: toResult(around.callOf(id), text) }]
    if (role === 'assistant') {
      const { recipient } = fields
      if (text === '') return []
      const thinking = around.thoughtsBefore(parent)
      if (typeof recipient !== 'string' || recipient === 'all') return sayAnswer({ text, thinking })
      return sayAnswer({ thinking, calls: [{ id, name: recipient, arguments: text }] })
    }
    if (role !== 'user' && role !== 'system')
      return refuse(`${path}.author.role`, 'must be user, assistant, system or tool')
    // What the user wrote about himself is no message of this conversation.
    const isContext = contexts.has(message!.needInner('content').fields.content_type)
    return sayText(isContext ? 'system' : role, text)
  }
}

interface Around {
  readonly callOf: (id: string) => string
  readonly thoughtsBefore: (parent: string | undefined) => string
}

const contexts: ReadonlySet<unknown> = new Set(['user_editable_context', 'model_editable_context'])
/** Nodes of thoughts, which join the answer that follows them. */
const thoughts: ReadonlySet<unknown> = new Set(['thoughts', 'reasoning_recap'])

function readContent(message: PlacedFields): string {
  const { fields: content, items } = message.needInner('content')
  if (thoughts.has(content.content_type)) return ''
  if (contexts.has(content.content_type)) {
    const { user_profile, user_instructions, model_set_context } = content
    return withFiles([user_profile, user_instructions, model_set_context].map(toText))
  }
  if (content.parts === undefined || content.parts === null)
    return toText(content.text ?? content.result ?? content.content)
  return withFiles(items('parts').map(({ value }) => readPart(value)))
}

/** An answer has a few thoughts before it. */
const mostThoughts = 16

function thoughtsIn(nodes: ReadonlyMap<string, ParsedNode>): Around['thoughtsBefore'] {
  return parent => {
    const texts: string[] = []
    let at = parent === undefined ? undefined : nodes.get(parent)
    for (let left = mostThoughts; left > 0 && at?.message; left--) {
      const content = at.message.needInner('content')
      if (!thoughts.has(content.fields.content_type)) break
      const lines = content
        .each('thoughts')
        .map(({ fields }) => toText(fields.content ?? fields.summary))
      texts.unshift(lines.join('\n'))
      at = at.parent === undefined ? undefined : nodes.get(at.parent)
    }
    return withFiles(texts)
  }
}

/** A part: a text, spoken words, or an image, which has no name of its own. */
function readPart(part: unknown): string {
  if (!isFields(part)) return toText(part)
  if (typeof part.text === 'string') return part.text
  return typeof part.content_type === 'string' && part.content_type.startsWith('image')
    ? '[image]'
    : ''
}
