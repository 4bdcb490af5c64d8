import type { ConversationKey } from '../store.ts'
import { conversationKey } from './rows.ts'

/**
 * Lists are sorted by the time of the last write, which is in the branches. A conversation has a time for the index, `written_at`,
 * that is never later, and at most `lagMs` earlier: to write it with every append would write to every index of its row. So a list
 * reads as many conversations as it shows and those that were written within `lagMs` of the last of these.
 */
export const lagMs = 60_000

/** After how long a writer writes it again. The rest of `lagMs` is for statements that are late. */
const stepMs = lagMs / 2

/** How many conversations are remembered. */
const most = 10_000

/** When this process last wrote the times for the index. Others do it by themselves. */
export function listTimes(now = () => performance.now()) {
  const times = new Map<string, number>()
  return {
    isDue: (of: ConversationKey): boolean =>
      now() - (times.get(conversationKey(of)) ?? Number.NEGATIVE_INFINITY) >= stepMs,
    /** `sent` is when the statement was sent: it cannot have written an earlier time. */
    note(of: ConversationKey, sent: number): void {
      if (times.size >= most) times.clear()
      times.set(conversationKey(of), sent)
    },
    now,
  }
}
