import type { ThreadAddress } from '../../api/queries.ts'
import { byThread } from './thread-name.ts'

/** Texts that were typed but not sent. */
export const drafts = byThread<string>()

/** Restores a text that could not be sent; text that was typed meanwhile stays. */
export function restoreDraft(thread: ThreadAddress, text: string): void {
  if (!drafts.get(thread)) drafts.set(thread, text)
}
