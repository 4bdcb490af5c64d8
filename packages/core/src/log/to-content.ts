import type { Fields } from './fields.ts'

/** A part of a content: a text, or an image or file in a form that the log reads. */
export type ContentPart = string | Fields

/** A content. Texts alone become one text, because servers take a list for several messages, or refuse it. */
export function toContent(parts: readonly ContentPart[]): string | readonly Fields[] {
  if (parts.length === 1 && typeof parts[0] === 'string') return parts[0]
  if (parts.every(part => typeof part === 'string')) return parts.join('\n')
  return parts.map(part => (typeof part === 'string' ? { type: 'text', text: part } : part))
}
