import { observable } from '../../api/observable.ts'
import type { ThreadPlace } from '../../api/queries.ts'
import { threadName } from './thread-name.ts'

/** What was typed and not sent, by thread. It outlives the view, and is gone with the tab. */
const drafts = observable<ReadonlyMap<string, string>>(new Map())

export const useDraft = (thread: ThreadPlace): string => drafts.use().get(threadName(thread)) ?? ''

export function setDraft(thread: ThreadPlace, text: string): void {
  const next = new Map(drafts.get())
  if (text === '') next.delete(threadName(thread))
  else next.set(threadName(thread), text)
  drafts.set(next)
}

/** Gives a text back that could not be sent; what was typed meanwhile stays. */
export function restoreDraft(thread: ThreadPlace, text: string): void {
  if ((drafts.get().get(threadName(thread)) ?? '') === '') setDraft(thread, text)
}
