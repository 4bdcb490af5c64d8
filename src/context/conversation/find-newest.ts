import type { Transcript } from './transcript.ts'

/**
 * Finds the newest of `count` things in a conversation for which something holds, or -1. Each one is looked at once,
 * however often it is asked, but the newest of the last time: it may have grown since.
 */
export function createFindNewest(): (
  transcript: Transcript,
  count: number,
  holds: (at: number) => boolean,
) => number {
  const looked = new WeakMap<Transcript, { readonly count: number; readonly found: number }>()
  return (transcript, count, holds) => {
    const before = looked.get(transcript)
    const from = before && before.count <= count ? Math.max(0, before.count - 1) : 0
    let found = before && before.found < from ? before.found : -1
    for (let at = count - 1; at >= from; at--) {
      if (!holds(at)) continue
      found = at
      break
    }
    looked.set(transcript, { count, found })
    return found
  }
}
