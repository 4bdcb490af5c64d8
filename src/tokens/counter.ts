import { InvalidOptionError } from '../log/error.ts'
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

const known = new WeakMap<TokenCounter, Required<TokenCounter>>()

/** The counter with every answer checked: a NaN or a negative number would break every comparison with the window. */
export function checkedCounter(counter: TokenCounter): Required<TokenCounter> {
  const before = known.get(counter)
  if (before) return before
  const checked = mapCounter(counter, counter.id, tokens => wholeTokens(tokens, counter.id))
  known.set(counter, checked).set(checked, checked)
  return checked
}

/** The counter with every answer changed. */
export function mapCounter(
  counter: TokenCounter,
  id: string,
  change: (tokens: number) => number,
): Required<TokenCounter> {
  return {
    id,
    exact: counter.exact,
    prompt: change(counter.prompt ?? 0),
    text: text => change(counter.text(text)),
    message: message => change(counter.message(message)),
    tools: tools => change(counter.tools(tools)),
  }
}

/** A count as a whole number. Fractions are allowed (a quarter of the characters, say) and rounded up. */
export function wholeTokens(tokens: number, counter: string): number {
  if (typeof tokens === 'number' && tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER) return Math.ceil(tokens)
  throw new InvalidOptionError(
    'count',
    `the counter ${JSON.stringify(counter)} gave ${String(tokens)}: expected a number of tokens, 0 or more`,
  )
}
