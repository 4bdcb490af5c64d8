import type { MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import type { ToolSpec } from '../model.ts'
import { ModelError } from '../model-error.ts'

interface TakeWindowOptions {
  readonly name: string
  readonly window: number
  readonly counter: TokenCounter
  /** `'error'` refuses a prompt that is too long, `'cut'` shortens it silently. */
  readonly overflow: 'error' | 'cut'
}

/**
 * Enforces the window: a prompt must leave room for one token of the reply. `'cut'` does what Ollama does: drops the oldest
 * messages except system messages and the last one, then all but half a window of the last message's end. Only the
 * smaller count shows it.
 */
export function takeWindow(
  messages: readonly MessageLike[],
  tools: readonly ToolSpec[],
  { name, window, counter, overflow }: TakeWindowOptions,
): { readonly messages: readonly MessageLike[]; readonly promptTokens: number } {
  const read = messages.map((raw, seq) => {
    const message = parseMessage(raw, seq)
    return { raw, message, tokens: counter.message(message) }
  })
  const promptTokens = read.reduce((sum, { tokens }) => sum + tokens, counter.tools(tools))
  if (promptTokens < window) return { messages, promptTokens }
  if (overflow === 'error') {
    throw new ModelError(
      'context_too_long',
      `The prompt has ${promptTokens} tokens, and ${name} takes at most ${window - 1} in its window of ${window}: send less, or give it a larger window`,
      { status: 400, tokens: { prompt: promptTokens, window } },
    )
  }
  let left = promptTokens
  const kept = read.filter(({ message, tokens }, seq) => {
    if (left < window || message.role === 'system' || seq === read.length - 1) return true
    left -= tokens
    return false
  })
  if (left < window) return { messages: kept.map(({ raw }) => raw), promptTokens: left }
  const half = Math.floor(window / 2)
  const { role = 'user', text = '' } = read.at(-1)?.message ?? {}
  return { messages: [{ role, content: endOf(text, half, counter) }], promptTokens: half }
}

/** The longest end of a text with at most `most` tokens, by bisection. */
function endOf(text: string, most: number, counter: TokenCounter): string {
  let [from, to] = [0, text.length]
  while (from < to) {
    const middle = (from + to) >> 1
    if (counter.text(text.slice(middle)) <= most) to = middle
    else from = middle + 1
  }
  return text.slice(from)
}
