import { type ThreadCall, toThreadCall } from '../../../history/calls/calls.ts'
import { lastPlaceOf, type Plan, readPlan } from '../../../history/calls/plan.ts'
import type { Head, Store, ThreadKey } from '../../../stores/store.ts'

/** A call with its plan, and the last entry that it was made of. */
export interface PlacedCall {
  readonly call: ThreadCall
  readonly plan: Plan
  readonly at: number
}

/** The most calls of one thread that are read. */
const mostCalls = 20_000

/** The calls of a branch, oldest first, with those of the past that it shares with other branches. */
export async function listCalls(store: Store, key: ThreadKey): Promise<readonly PlacedCall[]> {
  const found: PlacedCall[][] = []
  let upTo = Number.POSITIVE_INFINITY
  for (let branch: string | undefined = key.branch; branch !== undefined; ) {
    const place: ThreadKey = { ...key, branch }
    const head: Head | undefined = await store.head(place)
    if (!head) break
    const calls = await store.calls(place, { limit: mostCalls })
    const placed = calls.map(call => toPlaced(toThreadCall(call, head))).filter(({ at }) => at <= upTo)
    found.push(placed)
    upTo = Math.min(upTo, head.forkOf?.at ?? 0)
    branch = head.forkOf?.branch
  }
  return found.flat().reverse()
}

function toPlaced(call: ThreadCall): PlacedCall {
  const plan = readPlan(call.plan)
  return { call, plan, at: lastPlaceOf(plan) }
}
