import type { Message } from '../../log/message.ts'

/** A completed turn as a reader sees it. */
export interface Exchange {
  /** The text of the user's message. */
  readonly request: string
  /** Everything that answered it, in order. */
  readonly messages: readonly Message[]
}

/**
 * What an exchange comes to, without brackets and without its request; `undefined`: not mine, ask the next.
 *
 * @example
 * const digestPoll: Digester = ({ messages }) =>
 *   messages.some(message => message.text.startsWith('POLL')) ? 'a poll' : undefined
 */
export type Digester = (exchange: Exchange) => string | undefined

/** The text that answered: the last one that the assistant said. Notes and thinking are not said. */
export function answerOf(messages: readonly Message[]): string {
  return messages.findLast(message => message.role === 'assistant' && /\S/.test(message.text))?.text ?? ''
}
