import type { ThreadCall } from '../../../history/calls/calls.ts'
import { endOf, type Plan } from '../../../history/calls/plan.ts'
import { readPlan } from '../../../history/calls/read-plan.ts'
import type { Store, ThreadKey } from '../../../stores/store.ts'
import { callsBack } from '../calls-back.ts'

export interface PlacedCall {
  readonly call: ThreadCall
  readonly plan: Plan
  readonly at: number
}

export type CallList = ReturnType<typeof createCallList>

/** Reading back stops after this many calls that were taken. */
const mostTaken = 32

/** The newest calls that are read. */
const mostCalls = 20_000

/** The calls of a branch, with those of the past that it shares with other branches. Holds those that are not yet taken. */
export function createCallList(store: Store, key: ThreadKey) {
  const taken = new Set<string>()
  const turns = new Set<number>()
  let waiting = new Map<number, PlacedCall[]>()

  return {
    /** Reads the calls that are new, or may have ended since. */
    async refresh(): Promise<void> {
      const { head = 0 } = (await store.head(key)) ?? {}
      const fresh: PlacedCall[] = []
      let takenCalls = 0
      for await (const call of callsBack(store, key)) {
        turns.add(call.turn)
        if (taken.has(call.id)) takenCalls += 1
        else {
          const plan = readPlan(call.plan)
          // An imported plan may end at any number.
          fresh.push({ call, plan, at: Math.min(endOf(plan), head) })
        }
        if (takenCalls >= mostTaken || fresh.length >= mostCalls) break
      }
      waiting = new Map(fresh.map(({ at }) => [at, []]))
      for (const placed of fresh.reverse()) waiting.get(placed.at)!.push(placed)
    },
    hasTurn: (turn: number): boolean => turns.has(turn),
    /** The calls at a place that are not yet taken, oldest first. */
    at: (seq: number): readonly PlacedCall[] => waiting.get(seq) ?? [],
    /** Forgets the plans of the calls up to a place: they will not be asked for again. */
    take(upTo: number): void {
      for (const [at, calls] of waiting) {
        if (at > upTo) continue
        for (const { call } of calls) taken.add(call.id)
        waiting.delete(at)
      }
    },
    /** The last place before another that has a call which is not taken; 0 if there is none. */
    before: (seq: number): number =>
      [...waiting.keys()].reduce((last, at) => (at < seq && at > last ? at : last), 0),
  }
}
