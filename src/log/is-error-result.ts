/** What is known of tool messages, and stands in none of them: servers refuse fields that they do not know. */
const known = new WeakMap<object, boolean>()

/** Says of a tool message whether its tool failed. */
export function markResult<M extends object>(message: M, isError: boolean): M {
  known.set(message, isError)
  return message
}

/**
 * Whether a tool failed. Of what we ran or stored we know; a message from elsewhere is read: marked as failed the way the
 * AI SDK does, or `Error: …` as its text. `index` is the place of the result among those of the message.
 */
export function isErrorResult(source: object, { text }: { readonly text: string }, index = 0): boolean {
  return known.get(source) ?? (isMarked(source, index) || text.startsWith('Error:'))
}

/** An error may be JSON and even match the schema: what the AI SDK marks as an error is never a value. */
function isMarked(source: object, index: number): boolean {
  const { content } = source as { content?: unknown }
  if (!Array.isArray(content)) return false
  const part = content.filter(isResultPart)[index]
  if (part === undefined) return false
  const type = (part.output as { type?: unknown } | null | undefined)?.type
  return part.isError === true || (typeof type === 'string' && failures.has(type))
}

const failures = new Set(['error-text', 'error-json', 'execution-denied'])

interface ResultPart {
  readonly type: 'tool-result'
  readonly output?: unknown
  readonly isError?: unknown
}

function isResultPart(part: unknown): part is ResultPart {
  return (part as { type?: unknown } | null)?.type === 'tool-result'
}
