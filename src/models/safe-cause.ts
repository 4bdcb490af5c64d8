import { showable } from './quote-fault.ts'

/** Fields of an error that never come from a request or a reply. */
const harmless: ReadonlySet<string> = new Set(
  'name message stack cause code errno syscall address port hostname'.split(' '),
)

/** A longer chain of causes is a circle. */
const deepest = 8

/**
 * Makes an error safe as a cause, because causes are printed too: the error itself, or a copy of its safe parts if it holds
 * the request, a reply or a key.
 */
export function safeCause(error: unknown, sent: readonly string[], depth = 0): Error | undefined {
  if (!(error instanceof Error) || depth === deepest) return undefined
  const cause = safeCause(error.cause, sent, depth + 1)
  const message = quotesReply(error) ? '' : showable(error.message, sent)
  const isHarmless = Object.getOwnPropertyNames(error).every(name => harmless.has(name))
  if (isHarmless && message === error.message && cause === error.cause) return error
  const copy = new Error(message, cause && { cause })
  copy.name = error.name
  copy.stack = [`${copy.name}: ${copy.message}`, ...framesOf(error)].join('\n')
  return copy
}

/** Whether an error quotes a reply, as errors about unreadable JSON do. */
export function quotesReply(error: unknown): boolean {
  const { name } = (error ?? {}) as { name?: unknown }
  return name === 'SyntaxError' || /^AI_\w*(?:Parse|Validation|Response|Prompt|Generated)/.test(String(name))
}

/** The frames of a stack, without the message. */
const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter(line => /^\s+at /.test(line))
