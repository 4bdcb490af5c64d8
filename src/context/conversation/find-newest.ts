import type { Transcript } from './transcript.ts'

/**
 * Makes a function that finds the newest of `count` things that pass a test, or -1. The last thing may still grow and
 * no longer pass, so it is tested anew each time; answers are remembered only for those before it.
 */
export function createFindNewest(): (
  transcript: Transcript,
  count: number,
  holds: (at: number) => boolean,
) => number {
  /** The newest among the first `settled` things. */
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
