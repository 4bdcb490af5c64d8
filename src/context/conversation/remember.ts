import type { Transcript } from './transcript.ts'

/** A value computed from a conversation. `fits` says whether it still holds when only so many units are left. */
interface Derived {
  fits?(units: number): boolean
}

/** Values computed from a conversation and a configuration, dropped with the conversation. */
const memories = new WeakMap<Transcript, Map<string, object & Derived>>()

const most = 24

/** The value under a key, created when absent. Only a cache: it can always be computed again. */
export function remember<T extends object>(transcript: Transcript, key: string, create: () => T): T {
  const known = memories.get(transcript) ?? new Map<string, object & Derived>()
  memories.set(transcript, known)
  const found = known.get(key) as T | undefined
  if (found !== undefined) return found
  if (known.size >= most) {
    const oldest = [...known].find(([, state]) => !state.fits)
    if (oldest) known.delete(oldest[0])
  }
  const state = create()
  known.set(key, state)
  return state
}

/** A fork takes over the values that hold for it; the other transcript computes them again if needed. */
export function inherit(from: Transcript, to: Transcript): void {
  const known = memories.get(from)
  if (!known) return
  const taken = new Map<string, object & Derived>()
  for (const [key, state] of known) {
    if (!state.fits?.(to.units.length)) continue
    taken.set(key, state)
    known.delete(key)
  }
  memories.set(to, taken)
}
