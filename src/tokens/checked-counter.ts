import { InvalidOptionError } from '../log/error.ts'
import type { TokenCounter } from './counter.ts'

const known = new WeakMap<TokenCounter, TokenCounter>()

/** The counter with every answer checked: what is no number of tokens would never fit, and never be enough. */
export function checkedCounter(counter: TokenCounter): TokenCounter {
  const before = known.get(counter)
  if (before) return before
  const whole = (tokens: number) => wholeTokens(tokens, counter.id)
  const checked: TokenCounter = {
    id: counter.id,
    exact: counter.exact,
    prompt: whole(counter.prompt ?? 0),
    text: text => whole(counter.text(text)),
    message: message => whole(counter.message(message)),
    tools: tools => whole(counter.tools(tools)),
  }
  known.set(counter, checked).set(checked, checked)
  return checked
}

/** A fraction is rounded up: a quarter of the characters is a count too. */
export function wholeTokens(tokens: number, counter: string): number {
  if (typeof tokens === 'number' && tokens >= 0 && tokens <= Number.MAX_SAFE_INTEGER) return Math.ceil(tokens)
  throw new InvalidOptionError(
    'count',
    `the counter ${JSON.stringify(counter)} gave ${String(tokens)}: expected a number of tokens, 0 or more`,
  )
}
