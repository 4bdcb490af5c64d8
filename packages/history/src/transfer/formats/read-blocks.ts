import { isFields, refuse } from '@throughline/core/fields'
import { type Item, type PlacedFields, placeFields } from './source.ts'
import { attached, resultText, toText, withFiles } from './source-text.ts'
import { gather, sayText, toResult, type UnsignedMessage } from './unsigned-message.ts'

/** What the blocks of a message say, in order: a message of the model may hold calls and their results. */
interface SourceBlocks {
  readonly role: 'user' | 'assistant'
  readonly content: string | readonly Item[]
  /** For calls without an id. */
  readonly id: string
  /** Lines that are added to the last text: names of files. */
  readonly more?: string
}

/** Reads content blocks as Anthropic writes them: texts, thoughts, calls, results, images. */
export function readBlocks({
  role,
  content,
  id,
  more = '',
}: SourceBlocks): readonly UnsignedMessage[] {
  const gathered = gather({ role, joinTexts: withFiles })
  let lastCall = id
  if (typeof content === 'string') gathered.text(content)
  else for (const item of content) take(item)
  gathered.close([more])
  return gathered.messages

  function take(item: Item): void {
    const { fields: block, needText } = placeFields(item)
    switch (block.type) {
      case 'text':
        return gathered.text(toText(block.text))
      case 'thinking':
        return gathered.thought(toText(block.thinking))
      case 'tool_use':
      case 'server_tool_use':
        if (role !== 'assistant')
          refuse(item.place.path, 'is a tool call, which only the model may write')
        lastCall =
          typeof block.id === 'string'
            ? block.id
            : `${id}-${gathered.messages.length}-${gathered.open.calls.length}`
        return gathered.call({ id: lastCall, name: needText('name'), arguments: block.input })
      case 'tool_result':
      case 'web_search_tool_result': {
        const callId = typeof block.tool_use_id === 'string' ? block.tool_use_id : lastCall
        const message = toResult(callId, resultText(block.content))
        return gathered.add(block.is_error === true ? { message, isError: true } : { message })
      }
      case 'image':
      case 'document':
        gathered.open.texts.push(
          attached(typeof block.title === 'string' ? block.title : block.type),
        )
    }
  }
}

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
        return gathered.call(
          { id, name, arguments: fields.arguments ?? fields.input ?? fields.action },
          time,
        )
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
  [
    '<environment_context>',
    '<user_instructions>',
    '# AGENTS.md instructions',
    '<INSTRUCTIONS>',
  ].some(start => text.startsWith(start))
