import { messageList } from './message-list.ts'
import { type Format, has, placeFields } from './source.ts'

/** `api_conversation_history.json` of a task of Cline, or of a program that was made of it: Anthropic's messages. */
export const cline: Format = {
  ...messageList,
  name: 'Cline',
  prefix: 'cline',
  matches: first => {
    if (!has(first, 'role', 'content') || first.role !== 'user' || !Array.isArray(first.content))
      return false
    const [block] = first.content
    return has(block, 'text') && typeof block.text === 'string' && /^\s*<task>/.test(block.text)
  },
  read(items) {
    const source = messageList.read(items)
    const begun = placeFields(items[0]!).fields.ts
    // The time at which a task began is its name there.
    return source && { ...source, ...(typeof begun === 'number' && { id: String(begun) }) }
  },
}
