import type { Fields } from './fields.ts'

/** Tool message → whether its tool failed. Kept beside the messages: servers refuse fields that they do not know. */
const failed = new WeakMap<object, boolean>()

/** Remembers whether the tool of this message failed. */
export function markResult<M extends object>(message: M, isError: boolean): M {
  failed.set(message, isError)
  return message
}

/** Whether each result failed: as the library or the AI SDK says, else where its text begins `Error:`. */
export function errorsIn(source: object): (text: string, index: number) => boolean {
  const { content } = source as { content?: unknown }
  const isKnown = failed.get(source)
  const parts = Array.isArray(content)
    ? content.filter(part => (part as Fields | null)?.type === 'tool-result')
    : []
  return (text, index) => isKnown ?? (isMarked(parts[index]) || text.startsWith('Error:'))
}

/** Whether the AI SDK marks the result as an error; such a result is never a state's value, even if it fits the schema. */
function isMarked(part: Fields | undefined): boolean {
  return part?.isError === true || failures.has((part?.output as Fields | null | undefined)?.type)
}

const failures = new Set<unknown>(['error-text', 'error-json', 'execution-denied'])
