import type { Transcript } from './transcript.ts'

/** A value computed from a conversation. `fits` says whether it still holds when only this many units are left. */
interface Derived {
  fits?(units: number): boolean
}

/** Values computed from a conversation and a configuration, dropped with the conversation. */
const memories = new WeakMap<Transcript, Map<string, object & Derived>>()

const most = 24

/** The value under a key, created when absent. Only a cache: it can always be computed again. */
export function remember<T extends object>(
  transcript: Transcript,
  key: string,
  create: () => T,
): T {
  const states = memories.get(transcript) ?? new Map<string, object & Derived>()
  memories.set(transcript, states)
  const cached = states.get(key) as T | undefined
  if (cached !== undefined) {
    // Behind the others: what was not asked for longest goes first.
    states.delete(key)
    states.set(key, cached)
    return cached
  }
  if (states.size >= most) {
    const oldest = [...states].find(([, state]) => !state.fits)
    if (oldest) states.delete(oldest[0])
  }
  const state = create()
  states.set(key, state)
  return state
}

/** A fork takes over the values that hold for it; the transcript it came from computes them again if needed. */
export function inherit(from: Transcript, to: Transcript): void {
  const states = memories.get(from)
  if (!states) return
  const taken = new Map<string, object & Derived>()
  for (const [key, state] of states) {
    if (!state.fits?.(to.units.length)) continue
    taken.set(key, state)
    states.delete(key)
  }
  memories.set(to, taken)
}

/** Gives for each object the value that was made last, for as long as it is asked for under the same key. */
export function keepLatest<Owner extends object, Value>() {
  const made = new WeakMap<Owner, { readonly key: string; readonly value: Value }>()
  return (owner: Owner, key: string, make: () => Value): Value => {
    const cached = made.get(owner)
    if (cached?.key === key) return cached.value
    const value = make()
    made.set(owner, { key, value })
    return value
  }
}

/** Finds the newest of `count` things that pass a test, or -1. Only the last is tested anew each time, as it may still grow. */
export function createFindNewest() {
  /** The newest among the first `settled` things. */
  const looked = new WeakMap<Transcript, { readonly settled: number; readonly newest: number }>()
  return (transcript: Transcript, count: number, holds: (at: number) => boolean): number => {
    const { settled, newest: before } = looked.get(transcript) ?? { settled: 0, newest: -1 }
    const last = count - 1
    if (last >= settled && holds(last)) return last
    let at = last - 1
    while (at >= settled && !holds(at)) at -= 1
    const newest = at < settled ? before : at
    if (last > settled) looked.set(transcript, { settled: last, newest })
    return newest
  }
}
