/**
 * Whether a message is one that a program puts before every conversation, in the name of the user or of the model. It says
 * nothing of the conversation: two sessions that share only their preamble share nothing.
 */
export function isPreamble(role: string, text: string): boolean {
  if (role !== 'user' && role !== 'assistant') return false
  return preambles[role].some(({ words, isWhole }) => (isWhole ? text === words : text.startsWith(words)))
}

interface Preamble {
  readonly words: string
  /** Whether these are all its words. Default: it begins with them. */
  readonly isWhole?: boolean
}

/** What Qwen Code, and Gemini CLI before it, say at the beginning. The folder and the date that follow change. */
const preambles: Readonly<Record<'user' | 'assistant', readonly Preamble[]>> = {
  user: [
    { words: 'This is the Qwen Code. We are setting up the context for our chat.' },
    { words: 'This is the Gemini CLI. We are setting up the context for our chat.' },
  ],
  assistant: [{ words: 'Got it. Thanks for the context!', isWhole: true }],
}
