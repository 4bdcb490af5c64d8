import { type AskedServer, toStreamError } from './to-model-error.ts'

/** A text of a server's answer; empty if there is none. Throws for anything else: the types of an answer are not trusted. */
export function readText(value: unknown, server: AskedServer): string {
  if (!value) return ''
  if (typeof value === 'string') return value
  throw toStreamError(server, 'sent something else where a text should be')
}
