import { isFields } from '../../log/fields.ts'

/** Whether a client has marked a system message, or a block of it, for caching. */
export const marksCache = (content: unknown): boolean =>
  Array.isArray(content) && content.some(block => isFields(block) && isFields(block.cache_control))

/** The same for the leading system messages of a list. */
export function leadMarksCache(messages: readonly unknown[]): boolean {
  for (const message of messages) {
    if (!isFields(message) || (message.role !== 'system' && message.role !== 'developer')) return false
    if (marksCache([message]) || marksCache(message.content)) return true
  }
  return false
}
