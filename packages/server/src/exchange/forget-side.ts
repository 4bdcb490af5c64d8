import { isSideName, mainBranch, sideName } from '@throughline/history/log'
import { erasureOf } from '@throughline/history/threads'
import type { Inquiry, LogPlace } from './inquiry.ts'

/**
 * Puts a side request beside its conversation, and not on a branch of it, if a person has erased something there: its client
 * may send the words again, and what stands beside can be deleted.
 */
export async function besideErased(inquiry: Inquiry, place: LogPlace): Promise<LogPlace> {
  const { fork, isSide, thread } = place
  if (!isSide || !fork || !(await hasErased(inquiry, place))) return place
  const apart = { ...thread, conversation: sideName(inquiry.newId()), branch: mainBranch }
  const { fork: _, anchor: __, overlay: ___, head: ____, ...rest } = place
  return { ...rest, kind: 'new', thread: apart, beside: fork.of.conversation, from: 0 }
}

/** Keeps nothing of a side request once it is answered, if it may have words that a person has erased. */
export async function forgetSide(inquiry: Inquiry, place: LogPlace): Promise<void> {
  const { conversation } = place.thread
  if (!place.isSide || !isSideName(conversation)) return
  try {
    if (await hasErased(inquiry, place)) await inquiry.log.history.delete(conversation)
  } catch {
    // What cannot be deleted now goes with all other side requests, when their time is over.
  }
}

/** Whether something was erased in the conversation of a side request; where it names none, in any of its person. */
async function hasErased({ log }: Inquiry, { beside, fork }: LogPlace): Promise<boolean> {
  const conversation = beside ?? fork?.of.conversation
  const { person, conversation: within } = erasureOf
  const mark = conversation === undefined ? person(log.history.person) : within(conversation)
  return (await log.store.findMarks(log.tenant, [mark], { limit: 1 })).length > 0
}
