import { textAt } from '../lib/texts.mjs'

/** The window of every subject, and what every exact count adds for a message's role and marks. */
export const windowTokens = 4096
export const messageTokens = 4

const system = {
  role: 'system',
  content: 'You help a small team with its tickets. Answer briefly and name the ticket.',
}
const messages = []
let nextText = 1_000_000

/**
 * The first `size` messages (an even number) of one long chat: a system prompt, then user and assistant in turn, the
 * last one a user message. The lists share their objects except for the first user message, so that each of them is a
 * conversation of its own for a library that remembers.
 */
export function startConversation(size) {
  while (messages.length < size) {
    const role = messages.length % 2 === 0 ? 'assistant' : 'user'
    messages.push({ role, content: textAt(messages.length) })
  }
  return [system, { ...messages[1] }, ...messages.slice(2, size)]
}

/** The reply to the last user message and the next user message: texts that nobody has seen before. */
export function nextTurn() {
  return ['assistant', 'user'].map(role => ({ role, content: textAt(nextText++) }))
}
