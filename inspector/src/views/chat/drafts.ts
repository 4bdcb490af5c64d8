import type { ThreadPlace } from '../../api/queries.ts'
import { byThread } from './thread-name.ts'

/** What was typed and not sent. */
export const drafts = byThread<string>()

/** Gives a text back that could not be sent; what was typed meanwhile stays. */
export function restoreDraft(thread: ThreadPlace, text: string): void {
  if (!drafts.get(thread)) drafts.set(thread, text)
}
