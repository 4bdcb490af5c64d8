/**
 * Whether a message is one that a program puts before every conversation, in the name of the user or of the model. It says
 * nothing of the conversation: two sessions that share only their preamble share nothing.
 */
export function isPreamble(role: string, text: string): boolean {
  if (role === 'user') return openings.some(words => text.startsWith(words))
  return role === 'assistant' && text === 'Got it. Thanks for the context!'
}

/** What Qwen Code, and Gemini CLI before it, say at the beginning. The folder and the date that follow change. */
const openings = [
  'This is the Qwen Code. We are setting up the context for our chat.',
  'This is the Gemini CLI. We are setting up the context for our chat.',
]
