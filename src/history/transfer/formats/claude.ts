import { optional, readFields, readList, readText, refuse } from '../../../log/fields.ts'
import { readBlocks } from './read-blocks.ts'
import { optionalText, readNames, readTime, withFiles, withKnown } from './read-parts.ts'
import { type Format, has, type SourceNode } from './source.ts'

/** The `conversations.json` of claude.ai. Its messages may name their parents, and then are a tree. */
export const claude: Format = {
  name: 'Claude',
  prefix: 'claude',
  isWhole: false,
  matches: first => has(first, 'chat_messages'),
  read([item]) {
    const { value, place } = item!
    const field = place.path
    const fields = readFields(value, field)
    const model = optionalText(fields.model, `${field}.model`)
    let before: string | undefined
    const nodes = readList(fields.chat_messages, `${field}.chat_messages`).map((one, at) => {
      const node = readNode(one, { line: place.line, path: `${field}.chat_messages[${at}]` }, before, model)
      before = node.id
      return node
    })
    return {
      id: optionalText(fields.uuid, `${field}.uuid`),
      title: optionalText(fields.name, `${field}.name`),
      time: readTime(fields.created_at, `${field}.created_at`),
      current: optionalText(fields.current_leaf_message_uuid, `${field}.current_leaf_message_uuid`),
      nodes,
      place,
    }
  },
}

/** The parent of a first message. */
const noParent = /^0{8}-0{4}-[04]0{3}-[08]0{3}-0{12}$/

function readNode(
  value: unknown,
  place: { readonly line: number; readonly path: string },
  before: string | undefined,
  model: string | undefined,
): SourceNode {
  const field = place.path
  const message = readFields(value, field)
  const id = readText(message.uuid, `${field}.uuid`)
  const sender = readText(message.sender, `${field}.sender`)
  if (sender !== 'human' && sender !== 'assistant')
    refuse(`${field}.sender`, 'must be "human" or "assistant"')
  const role = sender === 'human' ? 'user' : 'assistant'
  const parent = optionalText(message.parent_message_uuid, `${field}.parent_message_uuid`)
  const time = readTime(message.created_at, `${field}.created_at`)
  const hasBlocks = Array.isArray(message.content) && message.content.length > 0
  const blocks = readBlocks({
    role,
    ...(hasBlocks
      ? { list: message.content, field: `${field}.content` }
      : { list: optionalText(message.text, `${field}.text`) ?? '', field: `${field}.text` }),
    id,
    more: attachedTo(message, field),
  })
  return {
    id,
    parent: parent === undefined ? before : noParent.test(parent) ? undefined : parent,
    messages: withKnown(blocks, { time, model: message.model ?? model }),
    place,
  }
}

/** The names of files, each with the text that Claude read of it. A long text that was pasted in is such a file. */
function attachedTo(message: Readonly<Record<string, unknown>>, field: string): string {
  const pasted = (optional(message.attachments, `${field}.attachments`, readList) ?? []).map((one, at) => {
    const file = readFields(one, `${field}.attachments[${at}]`)
    const name = optionalText(file.file_name, `${field}.attachments[${at}].file_name`)
    const text = optionalText(file.extracted_content, `${field}.attachments[${at}].extracted_content`)
    return [...(name ? [`[attached: ${name}]`] : []), text ?? ''].join('\n')
  })
  return withFiles(pasted, readNames(message.files, `${field}.files`, 'file_name'))
}
