import { showable } from './quote-fault.ts'

/** What an error may hold besides its words: nothing of it comes from a request or a reply. */
const harmless: ReadonlySet<string> = new Set(
  'name message stack cause code errno syscall address port hostname'.split(' '),
)

/** No chain of causes is longer, unless it is a circle. */
const deepest = 8

/**
 * An error as the cause of one of ours: itself; or, where it holds the request, a reply or a key, a copy of what may be
 * shown. Whoever prints an error prints its causes too.
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

/** Errors about something that cannot be read quote it. */
export function quotesReply(error: unknown): boolean {
  const { name } = (error ?? {}) as { name?: unknown }
  return name === 'SyntaxError' || /^AI_\w*(?:Parse|Validation|Response|Prompt|Generated)/.test(String(name))
}

/** Without the first lines, which are the message. */
const framesOf = ({ stack = '' }: Error) => stack.split('\n').filter(line => /^\s+at /.test(line))
