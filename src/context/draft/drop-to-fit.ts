import { firstPlace } from '../conversation/first-place.ts'
import { markerCost, needsMarker, unitCost } from './cost.ts'
import type { Draft, Spare } from './draft.ts'

/** Leaves units out in their order until the rest fits, and no more of them than that. */
export function dropToFit<D extends Draft>(draft: D, { units, rule, why }: Spare, room = draft.capacity): D {
  if (draft.tokens <= room) return draft
  const { frame, spans } = draft
  const open = units.filter(unit => draft.isKept(unit) && !draft.isProtected(unit))
  // The first unit that is left out brings the marker.
  let excess = draft.tokens - room + (needsMarker(frame, spans) ? 0 : markerCost(frame))
  let count = 0
  for (; excess > 0 && count < open.length; count++) excess -= unitCost(frame, open[count]!.index)
  const shorten = (more: number) => draft.as(rule).drop(open.slice(0, count + more), why)
  return leastShortened(shorten, open.length - count, room)
}

/**
 * The least shortened draft that fits, or the most shortened one. `shorten` is told how many more units must go than the
 * counts say: the notes of units that go move to a section of their own. How many is found by halving.
 */
export function leastShortened<D extends Draft>(shorten: (more: number) => D, most: number, room: number): D {
  const shorter = shorten(0)
  if (shorter.tokens <= room) return shorter
  return shorten(firstPlace(most, more => shorten(more).tokens <= room))
}
