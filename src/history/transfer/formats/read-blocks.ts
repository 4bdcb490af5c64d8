import { type Fields, isFields, readFields, readList, readText, refuse } from '../../../log/fields.ts'
import { type Call, type Said, toAssistant, toResult, toText } from './read-parts.ts'

/** What the blocks of a message say, in order: a message of the model may hold calls and their results. */
export interface Blocks {
  readonly role: 'user' | 'assistant'
  readonly list: unknown
  readonly field: string
  /** For calls without an id. */
  readonly id: string
  /** Lines that are added to the first text: names of files. */
  readonly more?: string
}

/** Reads content blocks as Anthropic writes them: texts, thoughts, calls, results, images. */
export function readBlocks({ role, list, field, id, more = '' }: Blocks): readonly Said[] {
  const found: Said[] = []
  let [texts, thoughts, calls]: [string[], string[], Call[]] = [[], [], []]
  let lastCall = id

  function flush(): void {
    const text = texts.filter(text => text !== '').join('\n')
    const message =
      role === 'assistant'
        ? toAssistant({ text, thinking: thoughts.join('\n'), calls })
        : text === ''
          ? undefined
          : { role, content: text }
    if (message) found.push({ message })
    ;[texts, thoughts, calls] = [[], [], []]
  }

  function take(block: Fields, where: string): void {
    switch (block.type) {
      case 'text':
        if (calls.length > 0) flush()
        texts.push(toText(block.text))
        return
      case 'thinking':
        if (calls.length > 0 || texts.length > 0) flush()
        thoughts.push(toText(block.thinking))
        return
      case 'tool_use':
      case 'server_tool_use':
        if (role !== 'assistant') refuse(where, 'is a tool call, which only the model may write')
        lastCall = typeof block.id === 'string' ? block.id : `${id}-${found.length}-${calls.length}`
        calls.push({ id: lastCall, name: readText(block.name, `${where}.name`), arguments: block.input })
        return
      case 'tool_result':
      case 'web_search_tool_result':
        flush()
        found.push({
          message: toResult(
            typeof block.tool_use_id === 'string' ? block.tool_use_id : lastCall,
            resultText(block.content),
          ),
          ...(block.is_error === true && { isError: true }),
        })
        return
      case 'image':
      case 'document':
        texts.push(`[attached: ${typeof block.title === 'string' ? block.title : block.type}]`)
    }
  }

  if (typeof list === 'string') texts.push(list)
  else
    for (const [at, block] of readList(list, field).entries())
      take(readFields(block, `${field}[${at}]`), `${field}[${at}]`)
  texts.push(more)
  flush()
  return found
}

/** The text of a result: a text, or a list of blocks. */
export function resultText(content: unknown): string {
  if (!Array.isArray(content)) return toText(content)
  return content
    .map(part => {
      if (typeof part === 'string') return part
      if (!isFields(part)) return ''
      if (typeof part.text === 'string') return part.text
      return part.type === 'image' || part.type === 'input_image' ? '[image]' : toText(part)
    })
    .join('\n')
}
