import type { Message } from '../log/message.ts'

/** What the tokens of a message are counted with. Same input, same number, for ever: counts are remembered. */
export interface TokenCounter {
  /** Names this counter in receipts and remembered counts: two counters that differ have different ids. */
  readonly id: string
  /** An inexact counter gets a margin of 5 % of the window. */
  readonly exact: boolean
  /** A bare text, without framing. */
  text(text: string): number
  /** A whole message with its framing: role, text, thinking, tool calls, images. */
  message(message: Message): number
  /** The schemas of the tools that go with the prompt. */
  tools(tools: readonly unknown[]): number
  /** What every prompt costs besides its messages: its beginning, and the opening of the reply. Default 0. */
  readonly prompt?: number
}
