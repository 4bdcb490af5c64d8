import type { Transcript } from './transcript.ts'

/** Something that follows from a conversation. `fits`: it still holds when only so many units of it are left. */
interface Derived {
  fits?(units: number): boolean
}

/** Caches of what follows from a conversation and a configuration. They go when the conversation goes. */
const memories = new WeakMap<Transcript, Map<string, object & Derived>>()

/** More configurations than this of one conversation are not in use at once. */
const most = 24

/** The state under a key, made when there is none. Only a cache: whoever loses it computes the same again. */
export function remember<T extends object>(transcript: Transcript, key: string, create: () => T): T {
  const known = memories.get(transcript) ?? new Map<string, object & Derived>()
  memories.set(transcript, known)
  const found = known.get(key) as T | undefined
  if (found !== undefined) return found
  if (known.size >= most) {
    const oldest = [...known].find(([, state]) => state.fits === undefined)
    if (oldest) known.delete(oldest[0])
  }
  const state = create()
  known.set(key, state)
  return state
}

/** A fork takes over what still holds for it. The old line computes it again should it be asked. */
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
