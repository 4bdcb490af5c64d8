import { isFields } from '../../../log/fields.ts'
import { type PlacedFields, placeFields } from './placed-fields.ts'
import { resultText, toText } from './source-text.ts'
import { gather, sayText, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** Gathers items of the Responses API (Codex, Open WebUI) into messages. */
export function gatherItems() {
  const gathered = gather()

  /** Takes an item; `messages` then has the messages that are complete by it. */
  function take(item: PlacedFields, time?: number): void {
    const { fields } = item
    switch (kindOf(item)) {
      case 'text':
        return gathered.text(itemText(item, 'content'), time)
      case 'thought': {
        const name = fields.summary === undefined || fields.summary === null ? 'content' : 'summary'
        return gathered.thought(itemText(item, name), time)
      }
      case 'call': {
        // `local_shell_call` and `web_search_call` have no name, but an action.
        const id = item.text('call_id', fields.call_id ?? fields.id) ?? ''
        const name = item.text('name') ?? toText(fields.type).slice(0, -'_call'.length)
        return gathered.call({ id, name, arguments: fields.arguments ?? fields.input ?? fields.action }, time)
      }
      case 'result':
        return gathered.add({ ...toOutput(item.text('call_id') ?? '', fields.output), time })
      case 'spoken': {
        const content = itemText(item, 'content')
        gathered.close()
        const role = fields.role === 'user' && !isInjected(content) ? 'user' : 'system'
        for (const one of sayText(role, content)) gathered.add({ ...one, time })
      }
    }
  }

  return { messages: gathered.messages, close: gathered.close, take }
}

/** What an item is; undefined for one that says nothing. */
function kindOf(item: PlacedFields): 'text' | 'spoken' | 'thought' | 'call' | 'result' | undefined {
  const type = item.text('type') ?? ''
  if (type === 'message') return item.needText('role') === 'assistant' ? 'text' : 'spoken'
  if (type === 'reasoning') return 'thought'
  if (type.endsWith('_call_output')) return 'result'
  return type.endsWith('_call') ? 'call' : undefined
}

/** Codex writes `{ content, success }` for some tools. */
function toOutput(id: string, output: unknown): UnsignedMessage {
  const { content, success } = isFields(output) ? output : {}
  const message = toResult(id, resultText(content === undefined ? output : content))
  return content !== undefined && success === false ? { message, isError: true } : { message }
}

function itemText({ fields, items }: PlacedFields, name: string): string {
  const content = fields[name]
  if (typeof content === 'string') return content
  return items(name)
    .map(item => {
      const { type, text } = placeFields(item).fields
      return type === 'input_image' ? '[attached: image]' : toText(text)
    })
    .filter(text => text !== '')
    .join('\n')
}

/** What Codex tells the model in the name of the user: where it works, which rules hold. */
const isInjected = (text: string) =>
  ['<environment_context>', '<user_instructions>', '# AGENTS.md instructions', '<INSTRUCTIONS>'].some(start =>
    text.startsWith(start),
  )
