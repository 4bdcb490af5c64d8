import { oneLine } from './one-line.ts'

/** An event of a stream of server-sent events; with a name where clients go by it. */
export function sse(value: unknown, name?: string): string {
  return `${name === undefined ? '' : `event: ${name}\n`}data: ${oneLine(value)}\n\n`
}

/** A comment, which keeps a silent connection open. */
export const sseComment = ':\n\n'
