import { type ThreadCall, toThreadCall } from '../../../history/calls/calls.ts'
import { endOf, type Plan } from '../../../history/calls/plan.ts'
import { readPlan } from '../../../history/calls/read-plan.ts'
import type { Store, StoredCall, ThreadKey } from '../../../stores/store.ts'

/** A call with its plan, and the last entry that it was made of. */
export interface PlacedCall {
  readonly call: ThreadCall
  readonly plan: Plan
  readonly at: number
}

/** The calls of a branch, with those of the past that it shares with other branches. Holds those that are not yet taken. */
export interface CallList {
  /** Reads the calls that are new, or may have ended since. */
  refresh(): Promise<void>
  /** Whether a turn has a call. */
  hasTurn(turn: number): boolean
  /** The calls at a place that are not yet taken, oldest first. */
  at(seq: number): readonly PlacedCall[]
  /** Forgets the plans of the calls up to a place: they will not be asked for again. */
  take(upTo: number): void
  /** The last place before another that has a call which is not taken; 0 if there is none. */
  before(seq: number): number
}

/** How many calls are read first: mostly a few are new. */
const fewest = 32

/** `most`: how many calls are read at the most, the newest first. */
export function createCallList(store: Store, key: ThreadKey, most = 20_000): CallList {
  const taken = new Set<string>()
  const turns = new Set<number>()
  let waiting = new Map<number, PlacedCall[]>()
  let shared: readonly StoredCall[] | undefined

  async function refresh(): Promise<void> {
    const head = await store.head(key)
    const forkedAt = head?.forkOf?.at ?? 0
    shared ??= head?.forkOf
      ? await sharedCalls(store, { ...key, branch: head.forkOf.branch }, forkedAt, most)
      : []
    const own = await newCalls()
    waiting = new Map()
    for (const one of [...shared, ...own]) {
      turns.add(one.turn)
      if (taken.has(one.id)) continue
      const call = toThreadCall(one, head ?? {})
      const plan = readPlan(one.plan)
      // What was imported may say anything.
      const at = Math.min(endOf(plan), head?.head ?? 0)
      const here = waiting.get(at)
      if (here) here.push({ call, plan, at })
      else waiting.set(at, [{ call, plan, at }])
    }
  }

  /** The calls that are not taken, oldest first: more and more are read, until one is known. */
  async function newCalls(): Promise<readonly StoredCall[]> {
    for (let limit = fewest; ; limit = Math.min(most, 8 * limit)) {
      const found = await store.calls(key, { limit })
      const isAll = found.length < limit || limit >= most || found.some(({ id }) => taken.has(id))
      if (isAll) return found.toReversed()
    }
  }

  return {
    refresh,
    hasTurn: turn => turns.has(turn),
    at: seq => waiting.get(seq) ?? [],
    take(upTo) {
      for (const [at, calls] of waiting) {
        if (at > upTo) continue
        for (const { call } of calls) taken.add(call.id)
        waiting.delete(at)
      }
      shared = []
    },
    before: seq => [...waiting.keys()].reduce((last, at) => (at < seq && at > last ? at : last), 0),
  }
}

/** The calls of a branch up to a place, oldest first, with those that it shares itself. */
async function sharedCalls(
  store: Store,
  key: ThreadKey,
  upTo: number,
  most: number,
): Promise<readonly StoredCall[]> {
  const found: StoredCall[][] = []
  let last = upTo
  for (let branch: string | undefined = key.branch; branch !== undefined; ) {
    const place: ThreadKey = { ...key, branch }
    const head = await store.head(place)
    if (!head) break
    const calls = await store.calls(place, { limit: most })
    found.push(calls.filter(({ plan }) => endOf(readPlan(plan)) <= last))
    last = Math.min(last, head.forkOf?.at ?? 0)
    branch = head.forkOf?.branch
  }
  return found.flat().reverse()
}
