import { type Fields, isFields } from '@throughline/core/fields'
import type { MessageLike } from '@throughline/core/messages'
import type { ChatRequest, Origin } from './adapter.ts'

/** Gathers the messages of a body. System texts before the first other message are the system prompt. */
export function messageList(leading: readonly string[] = []) {
  const system = [...leading]
  const messages: MessageLike[] = []
  const origins: Origin[] = []
  /** The first entry of the client's list that belongs to no message yet. */
  let next = 0
  return {
    /** `at`: the last entry of the client's list that the message was read from, and which of its blocks. */
    add(message: MessageLike, at: number, blocks?: readonly number[]): void {
      const first = Math.min(next, at)
      next = at + 1
      if (message.role === 'system' && messages.length === 0) {
        system.push(String(message.content))
        return
      }
      messages.push(message)
      origins.push({ first, last: at, blocks })
    },
    count: () => messages.length,
    /** `entries`: how many the client's list has. Those behind the last message belong to it. */
    result(entries: number): Pick<ChatRequest, 'system' | 'messages' | 'origins'> {
      const text = system.filter(one => one !== '').join('\n\n')
      const last = origins.at(-1)
      if (last && last.last < entries - 1)
        origins[origins.length - 1] = { ...last, last: entries - 1 }
      return { system: text === '' ? undefined : text, messages, origins }
    },
  }
}

/** A reply in a client's list. */
export const replyMessage = (content: string, thinking: string, calls: readonly Fields[]) => ({
  ...{ role: 'assistant', content },
  ...(thinking !== '' && { thinking }),
  ...(calls.length > 0 && { tool_calls: calls }),
})

/** Whether a client has marked a system message, or a block of it, for caching. */
export const marksCache = (content: unknown): boolean =>
  Array.isArray(content) && content.some(block => isFields(block) && isFields(block.cache_control))

/** The same for the leading system messages of a list. */
export function leadMarksCache(messages: readonly unknown[]): boolean {
  for (const message of messages) {
    if (!isFields(message) || (message.role !== 'system' && message.role !== 'developer'))
      return false
    if (marksCache([message]) || marksCache(message.content)) return true
  }
  return false
}
