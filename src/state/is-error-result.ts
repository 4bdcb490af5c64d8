import type { RoundResult } from './read-round.ts'

/** A tool that failed: `Error: …` as its text, or marked as failed the way the AI SDK does. */
export function isErrorResult({ text, source, index }: RoundResult): boolean {
  return text.startsWith('Error:') || isMarked(source, index)
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
