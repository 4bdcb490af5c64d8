import type { Transcript } from './transcript.ts'

/**
 * Finds the newest of `count` things in a conversation for which something holds, or -1. The last one may still grow,
 * and then hold no more: it is looked at anew each time, and what is remembered speaks of those before it alone.
 */
export function createFindNewest(): (
  transcript: Transcript,
  count: number,
  holds: (at: number) => boolean,
) => number {
  /** The newest of the first `settled`. */
  const looked = new WeakMap<Transcript, { readonly settled: number; readonly found: number }>()
  return (transcript, count, holds) => {
    const { settled, found } = looked.get(transcript) ?? { settled: 0, found: -1 }
    const last = count - 1
    if (last >= settled && holds(last)) return last
    let at = last - 1
    while (at >= settled && !holds(at)) at -= 1
    const newest = at < settled ? found : at
    if (last > settled) looked.set(transcript, { settled: last, found: newest })
    return newest
  }
}
