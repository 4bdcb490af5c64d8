import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { attached, resultText, toText } from './source-text.ts'
import { gather, inRow, sayText, sign, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** A session file of pi: a header, then lines that name their parents; in its first version they only follow each other. */
export const pi: Format = {
  name: 'pi',
  prefix: 'pi',
  isWhole: true,
  matches: first => has(first, 'type', 'id', 'cwd') && first.type === 'session',
  read([head, ...items]) {
    const first = placeFields(head!)
    const nodes: SourceNode[] = []
    let title: string | undefined
    for (const [at, item] of items.entries()) {
      const line = placeFields(item)
      if (line.fields.type === 'session_info') title = line.text('name') ?? title
      const message = line.fields.type === 'message' ? line.needInner('message') : undefined
      const messages = message
        ? sign(readMessage(message, `${at}`), {
            time: line.time('timestamp'),
            model: message.fields.model,
          })
        : []
      const id = line.text('id') ?? `${at}`
      nodes.push({ id, parent: line.text('parentId'), messages, place: item.place })
    }
    const isTree = items.some(({ value }) => has(value, 'parentId'))
    return {
      id: first.needText('id'),
      title,
      time: first.time('timestamp'),
      nodes: isTree ? nodes : inRow(nodes),
      place: first.place,
    }
  },
}

function readMessage(message: PlacedFields, id: string): readonly UnsignedMessage[] {
  const { fields, text, needText } = message
  switch (fields.role) {
    case 'user':
    case 'assistant':
      return readBlocks(message, fields.role, id)
    case 'toolResult': {
      const result = toResult(needText('toolCallId'), resultText(fields.content))
      return [fields.isError === true ? { message: result, isError: true } : { message: result }]
    }
    case 'bashExecution':
      // A command that the user ran; pi sends it as a message of the user.
      return sayText('user', `$ ${text('command') ?? ''}\n${text('output') ?? ''}`)
    default:
      // What an extension adds is sent like a message of the program.
      return sayText('system', resultText(fields.content ?? fields.summary))
  }
}

function readBlocks({ fields, each }: PlacedFields, role: 'user' | 'assistant', id: string) {
  const gathered = gather({ role })
  const isText = typeof fields.content === 'string'
  if (isText) gathered.text(toText(fields.content))
  for (const [at, block] of isText ? [] : each('content').entries()) {
    const { type } = block.fields
    if (type === 'text') gathered.text(toText(block.fields.text))
    else if (type === 'thinking') gathered.thought(toText(block.fields.thinking))
    else if (type === 'image') gathered.text(attached('image'))
    else if (type === 'toolCall' && role === 'assistant')
      gathered.call({
        id: block.text('id') ?? `${id}-${at}`,
        name: block.needText('name'),
        arguments: block.fields.arguments,
      })
  }
  gathered.close()
  return gathered.messages
}
