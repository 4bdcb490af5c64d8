import { ageSystems, savedBetween } from '../conversation/clearing.ts'
import { firstPlace } from '../conversation/first-place.ts'
import { fixedCost, insertionCost, markerCost, needsMarker, systemsRoom, unitCost } from './cost.ts'
import type { Draft, OwnDraft, Spare } from './draft.ts'
import { findSpan } from './span.ts'

const why = 'older than what fits'

/** After every policy: leaves out what it named as first to go, then the oldest units, until all fits. Looks only at kept units. */
export function cutOldest<D extends Draft>(start: D, room = start.capacity): D {
  if (start.tokens <= room) return start
  const draft = start.spare
    .reduce((left, spare) => dropToFit(left, spare, room), start)
    .as(start.rule)
  if (draft.tokens <= room) return draft
  const aged =
    fixedCost(draft.frame) + markerCost(draft.frame) > room ? withoutOldSystems(draft) : draft
  const first = findCut(aged, room)
  const shorten = (more: number) => aged.dropRange(0, first + more, why)
  let shorter = leastShortened(shorten, aged.units.length - first, room)
  // When no units are left to drop, texts that a policy added go.
  while (shorter.tokens > room && shorter.insertions.length > 0)
    shorter = shorter.dropFirstInsertion(why)
  return shorter
}

/** System messages in the conversation never push out what was just said. */
function withoutOldSystems<D extends Draft>(draft: D): D {
  const { transcript } = draft.frame
  const aged = new Map<number, string>()
  ageSystems(transcript, transcript.latestUser, systemsRoom(draft.frame), aged)
  return (draft as OwnDraft & D).age(aged)
}

/** The oldest unit that can stay, notes not counted. */
function findCut(draft: Draft, room: number): number {
  const { frame, spans, units, insertions } = draft
  let free = room - fixedCost(frame) - markerCost(frame)
  let next = insertions.length - 1
  for (let index = units.length - 1; index >= 0; index--) {
    for (; next >= 0 && insertions[next]!.before > index; next--)
      free -= insertionCost(frame, insertions[next]!)
    const span = findSpan(spans, index)
    if (span) index = span.from
    else if (!frame.fixed.has(index))
      free -=
        unitCost(frame, index) - savedBetween(frame.transcript, draft.cleared, index, index + 1)
    if (free < 0) return span ? span.to : index + 1
  }
  return 0
}

/** Leaves units out in their order until the rest fits, and no more of them than that. */
export function dropToFit<D extends Draft>(
  draft: D,
  { units, rule, why }: Spare,
  room = draft.capacity,
): D {
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

/** The least shortened draft that fits, or the most shortened. `shorten` is told how many more go than counted, as notes move. */
function leastShortened<D extends Draft>(
  shorten: (more: number) => D,
  most: number,
  room: number,
): D {
  const shorter = shorten(0)
  if (shorter.tokens <= room) return shorter
  return shorten(firstPlace(most, more => shorten(more).tokens <= room))
}
