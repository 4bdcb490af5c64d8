import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { attached, toText } from './source-text.ts'
import { gather, inRow, sign, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** What `opencode export` writes of a session: messages of parts, where a call stands with its result. */
export const opencode: Format = {
  name: 'opencode',
  prefix: 'opencode',
  isWhole: false,
  matches: first => has(first, 'info', 'messages') && has(first.info, 'id'),
  read([item]) {
    const { place, needInner, each } = placeFields(item!)
    const session = needInner('info')
    const nodes = each('messages').map((message): Pick<SourceNode, 'messages' | 'place'> => {
      const { fields, inner } = message.needInner('info')
      const time = inner('time')?.time('created')
      const model = fields.modelID ?? inner('model')?.fields.modelID
      const role = fields.role === 'assistant' ? 'assistant' : 'user'
      return { messages: sign(readParts(message, role), { time, model }), place: message.place }
    })
    return {
      id: session.text('id'),
      title: session.text('title'),
      time: session.inner('time')?.time('created'),
      nodes: inRow(nodes),
      place,
    }
  },
}

function readParts({ each }: PlacedFields, role: 'user' | 'assistant'): readonly UnsignedMessage[] {
  const gathered = gather({ role })
  for (const part of each('parts')) {
    const { fields, text } = part
    if (fields.ignored === true) continue
    if (fields.type === 'text') gathered.text(toText(fields.text))
    else if (fields.type === 'reasoning') gathered.thought(toText(fields.text))
    else if (fields.type === 'file')
      gathered.text(attached(text('filename') ?? text('mime') ?? 'file'))
    else if (fields.type === 'tool' && role === 'assistant') {
      const id = part.needText('callID')
      const state = part.needInner('state').fields
      gathered.call({ id, name: part.needText('tool'), arguments: state.input })
      if (state.status === 'error')
        gathered.add({ message: toResult(id, toText(state.error)), isError: true })
      else if (state.output !== undefined)
        gathered.add({ message: toResult(id, toText(state.output)) })
    }
  }
  gathered.close()
  return gathered.messages
}
