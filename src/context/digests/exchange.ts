import type { Message } from '../../log/message.ts'

/** A completed turn as a reader sees it. */
export interface Exchange {
  /** The text of the user's message. */
  readonly request: string
  /** Everything that answered it, in order. */
  readonly messages: readonly Message[]
}

/**
 * Sums up an exchange, without brackets and without its request; returns `undefined` to leave it to the next digester.
 *
 * @example
 * const digestPoll: Digester = ({ messages }) =>
 *   messages.some(message => message.text.startsWith('POLL')) ? 'a poll' : undefined
 */
export type Digester = (exchange: Exchange) => string | undefined

/** The assistant's answer: its last text. Notes and thinking do not count. */
export function answerOf(messages: readonly Message[]): string {
  return messages.findLast(message => message.role === 'assistant' && /\S/.test(message.text))?.text ?? ''
}
