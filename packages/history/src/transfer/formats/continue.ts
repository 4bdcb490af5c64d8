import { type Format, has, type PlacedFields, placeFields, type SourceNode } from './source.ts'
import { attached, resultText, toText, withFiles } from './source-text.ts'
import {
  inRow,
  sayAnswer,
  sayText,
  sign,
  toResult,
  type UnsignedMessage,
} from './unsigned-message.ts'

/** A session file of Continue: an item has a message, what was attached to it, and the states of its tool calls. */
export const continueDev: Format = {
  name: 'Continue',
  prefix: 'continue',
  isWhole: false,
  matches: first => has(first, 'sessionId', 'history') && Array.isArray(first.history),
  read([item]) {
    const { place, text, time, each } = placeFields(item!)
    const history = each('history')
    const answered = new Set(
      history.flatMap(({ inner }) => inner('message')?.text('toolCallId') ?? []),
    )
    const nodes: Pick<SourceNode, 'messages' | 'place'>[] = []
    let thinking = ''
    for (const one of history) {
      const message = one.needInner('message')
      const { role, content } = message.fields
      if (role === 'thinking') {
        thinking = resultText(content)
        continue
      }
      const messages = sign(readMessage(one, message, { thinking, answered }), {
        model: one.inner('promptLogs')?.fields.modelTitle,
      })
      thinking = ''
      nodes.push({ messages, place: one.place })
    }
    return {
      id: text('sessionId'),
      title: text('title'),
      time: time('dateCreated'),
      nodes: inRow(nodes),
      place,
    }
  },
}

interface Told {
  readonly thinking: string
  /** The calls whose result stands in a message of its own. */
  readonly answered: ReadonlySet<string>
}

function readMessage(
  item: PlacedFields,
  { fields, needText, each }: PlacedFields,
  { thinking, answered }: Told,
): readonly UnsignedMessage[] {
  const content = contentText(fields.content)
  switch (fields.role) {
    case 'tool':
      return [{ message: toResult(needText('toolCallId'), content) }]
    case 'assistant': {
      const calls = each('toolCalls').map((call, at) => {
        const { name, arguments: input } = call.needInner('function').fields
        return { id: call.text('id') ?? `call-${at}`, name: toText(name), arguments: input }
      })
      const thought = thinking || toText(item.inner('reasoning')?.fields.text)
      return [
        ...sayAnswer({ text: content, thinking: thought, calls }),
        ...resultsIn(item, answered),
      ]
    }
    case 'system':
      return sayText('system', content)
    default:
      return sayText('user', withFiles([content, ...contextIn(item)]))
  }
}

/** Results that stand with the call alone. */
function resultsIn(item: PlacedFields, answered: ReadonlySet<string>): readonly UnsignedMessage[] {
  return item.each('toolCallStates').flatMap(state => {
    const id = state.text('toolCallId') ?? ''
    if (answered.has(id) || !Array.isArray(state.fields.output)) return []
    const output = state.each('output').map(({ fields }) => toText(fields.content))
    const message = toResult(id, output.join('\n'))
    return [state.fields.status === 'errored' ? { message, isError: true } : { message }]
  })
}

/** Texts that were attached are part of the message. */
const contextIn = ({ each }: PlacedFields): readonly string[] =>
  each('contextItems').map(({ fields }) =>
    withFiles([attached(toText(fields.name)), toText(fields.content)]),
  )

function contentText(content: unknown): string {
  if (!Array.isArray(content)) return toText(content)
  return content
    .map(part => (has(part, 'imageUrl') ? attached('image') : resultText([part])))
    .join('\n')
}
