import { refuse } from '@throughline/core/fields'
import { readBlocks } from './read-blocks.ts'
import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { attached, withFiles } from './source-text.ts'
import { noParent, sign } from './unsigned-message.ts'

/** The `conversations.json` of claude.ai. Its messages may name their parents, and then are a tree. */
export const claude: Format = {
  name: 'Claude',
  prefix: 'claude',
  isWhole: false,
  matches: first => has(first, 'chat_messages'),
  read([item]) {
    const { place, text, time, needItems } = placeFields(item!)
    const model = text('model')
    const nodes: SourceNode[] = []
    for (const message of needItems('chat_messages'))
      nodes.push(readNode(placeFields(message), nodes.at(-1)?.id, model))
    return {
      id: text('uuid'),
      title: text('name'),
      time: time('created_at'),
      current: text('current_leaf_message_uuid'),
      nodes,
      place,
    }
  },
}

function readNode(
  message: PlacedFields,
  before: string | undefined,
  model: string | undefined,
): SourceNode {
  const { fields, place, text, needText } = message
  const id = needText('uuid')
  const sender = needText('sender')
  if (sender !== 'human' && sender !== 'assistant')
    refuse(`${place.path}.sender`, 'must be "human" or "assistant"')
  const role = sender === 'human' ? 'user' : 'assistant'
  const parent = text('parent_message_uuid')
  const time = message.time('created_at')
  const hasBlocks = Array.isArray(fields.content) && fields.content.length > 0
  const content = hasBlocks ? message.items('content') : (text('text') ?? '')
  return {
    id,
    parent: parent === undefined ? before : noParent.test(parent) ? undefined : parent,
    messages: sign(readBlocks({ role, content, id, more: attachedTo(message) }), {
      time,
      model: fields.model ?? model,
    }),
    place,
  }
}

/** The names of files, each with the text that Claude read of it. A long text that was pasted in is such a file. */
function attachedTo(message: PlacedFields): string {
  const pasted = message.each('attachments').map(({ text }) => {
    const name = text('file_name')
    return [...(name ? [attached(name)] : []), text('extracted_content') ?? ''].join('\n')
  })
  return withFiles(pasted, message.fileNames('files', 'file_name'))
}
