import type { Message } from '../log/message.ts'

/** Counts the tokens of messages. The same input must always give the same number: counts are remembered. */
export interface TokenCounter {
  /** Names this counter in receipts and remembered counts: counters that count differently need different ids. */
  readonly id: string
  /** False gives the window a margin of 5 %. */
  readonly exact: boolean
  /** The tokens of a text, without framing. */
  text(text: string): number
  /** The tokens of a message with its framing: role, text, thinking, tool calls, images. */
  message(message: Message): number
  /** The tokens of the tools' schemas. */
  tools(tools: readonly unknown[]): number
  /** The tokens of a prompt besides its messages: its beginning, and the opening of the reply. Default 0. */
  readonly prompt?: number
}
