import { type ThreadCall, toThreadCall } from '../../history/calls/calls.ts'
import { endOf } from '../../history/calls/plan.ts'
import { readPlan } from '../../history/calls/read-plan.ts'
import type { Head, Store, ThreadKey } from '../../stores/store.ts'

/** How many calls of a branch are read first: mostly the newest are wanted. */
const fewestCalls = 64

/**
 * The calls of a thread, newest first, then those of the past that it shares with the branches that it was forked from. More
 * and more of them are read. What another branch did after the fork is not part of this one.
 */
export async function* callsBack(store: Store, key: ThreadKey): AsyncGenerator<ThreadCall> {
  let upTo = Number.POSITIVE_INFINITY
  for (let branch: string | undefined = key.branch; branch !== undefined; ) {
    const thread: ThreadKey = { ...key, branch }
    const head: Head | undefined = await store.head(thread)
    if (!head) return
    // More calls may be stored between two readings.
    const seen = new Set<string>()
    for (let limit = fewestCalls; ; limit *= 8) {
      const calls = await store.calls(thread, { limit })
      for (const call of calls) {
        if (seen.has(call.id)) continue
        seen.add(call.id)
        if (upTo === Number.POSITIVE_INFINITY || endOf(readPlan(call.plan)) <= upTo)
          yield toThreadCall(call, head)
      }
      if (calls.length < limit) break
    }
    upTo = Math.min(upTo, head.forkOf?.at ?? 0)
    branch = head.forkOf?.branch
  }
}
