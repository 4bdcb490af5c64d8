import { firstPlace } from '../conversation/first-place.ts'
import { fixedCost, insertionCost, markerCost, unitCost } from './cost.ts'
import type { FullDraft } from './draft.ts'
import { findSpan } from './span.ts'

const why = 'older than what fits'

/**
 * Leaves out the oldest units, so that the longest run of recent ones that fits stays. Runs after every policy, so that
 * none can exceed the window. Looks only at kept units, never at the whole history.
 */
export function cutOldest<D extends FullDraft>(draft: D, room = draft.capacity): D {
  if (draft.tokens <= room) return draft
  const shorten = (cut: number) => draft.dropRange(0, cut, why)
  const first = findCut(draft, room)
  const shorter = shorten(first)
  if (shorter.tokens <= room) return shorter
  // The notes of cut units move to their section, so a few more units must go: how many is found by halving.
  const most = draft.units.length - first
  return dropInsertions(shorten(first + firstPlace(most, more => shorten(first + more).tokens <= room)), room)
}

/** The oldest unit that can stay, notes not counted. */
function findCut(draft: FullDraft, room: number): number {
  const { frame, spans, units, insertions } = draft
  let free = room - fixedCost(frame) - markerCost(frame)
  let next = insertions.length - 1
  for (let index = units.length - 1; index >= 0; index--) {
    for (; next >= 0 && insertions[next]!.before > index; next--)
      free -= insertionCost(frame, insertions[next]!)
    const span = findSpan(spans, index)
    if (span) index = span.from
    else if (!frame.fixed.has(index)) free -= unitCost(frame, index)
    if (free < 0) return span ? span.to : index + 1
  }
  return 0
}

/** Drops texts that a policy added, when no units are left to drop. */
function dropInsertions<D extends FullDraft>(draft: D, room: number): D {
  let current = draft
  while (current.tokens > room && current.insertions.length > 0) current = current.withoutFirstInsertion(why)
  return current
}
