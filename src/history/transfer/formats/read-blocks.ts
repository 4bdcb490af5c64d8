import { refuse } from '../../../log/fields.ts'
import { placeFields } from './placed-fields.ts'
import type { Item } from './source.ts'
import { attached, resultText, toText, withFiles } from './source-text.ts'
import { gather, toResult, type UnsignedMessage } from './unsigned-message.ts'

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
export function readBlocks({ role, content, id, more = '' }: SourceBlocks): readonly UnsignedMessage[] {
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
        if (role !== 'assistant') refuse(item.place.path, 'is a tool call, which only the model may write')
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
        gathered.open.texts.push(attached(typeof block.title === 'string' ? block.title : block.type))
    }
  }
}
