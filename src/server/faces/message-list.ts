import type { MessageLike } from '../../log/message.ts'
import type { ChatRequest } from './face.ts'

/** Gathers the messages of a body. System texts before the first other message are the system prompt. */
export function messageList(leading: readonly string[] = []) {
  const system = [...leading]
  const messages: MessageLike[] = []
  return {
    add(message: MessageLike): void {
      if (message.role === 'system' && messages.length === 0) system.push(String(message.content))
      else messages.push(message)
    },
    /** A text of the system, wherever it stands. */
    addSystem(text: string): void {
      this.add({ role: 'system', content: text })
    },
    count: () => messages.length,
    result(): Pick<ChatRequest, 'system' | 'messages'> {
      const text = system.filter(one => one !== '').join('\n\n')
      return { ...(text !== '' && { system: text }), messages }
    },
  }
}
