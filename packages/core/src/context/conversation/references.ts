import { placeOf } from './first-place.ts'
import { remember } from './remember.ts'
import type { Transcript } from './transcript.ts'

/** Which units refer to an earlier result that is gone, and the unit that has it: it is sent in place of the first of them. */
export function findReferred(
  transcript: Transcript,
  from: number,
  to: number,
  isGone: (unit: number) => boolean,
): ReadonlyMap<number, number> {
  const { references } = transcript
  const referredOf = new Map<number, number>()
  const used = new Set<number>()
  for (
    let place = placeOf(references, from);
    place < references.length && references[place]! < to;
    place++
  ) {
    const referred = referredAt(transcript, place)
    if (referred < 0 || used.has(referred) || !isGone(referred)) continue
    used.add(referred)
    referredOf.set(references[place]!, referred)
  }
  return referredOf
}

/** For the reference at this place of their list: the newest earlier unit with a real result of the same file, or -1. */
function referredAt(transcript: Transcript, place: number): number {
  const { units, references } = transcript
  /** How many units were looked at, the newest of them that read each file, and what was found for each reference. */
  const memory = remember(transcript, 'references', () => ({
    seen: 0,
    newest: new Map<number, number>(),
    referred: [] as number[],
  }))
  while (memory.referred.length <= place) {
    const unit = references[memory.referred.length]!
    for (; memory.seen < unit; memory.seen++)
      if (!units[memory.seen]!.refers)
        for (const file of filesRead(memory.seen)) memory.newest.set(file, memory.seen)
    memory.referred.push(
      filesRead(unit).reduce((last, file) => Math.max(last, memory.newest.get(file) ?? -1), -1),
    )
  }
  return memory.referred[place]!

  function filesRead(unit: number): readonly number[] {
    return units[unit]!.touched.filter((file, at) => at % 2 === 1 && file !== 0 && (file & 1) === 0)
  }
}
