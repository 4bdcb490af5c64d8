import { ageSystems } from '../conversation/age-systems.ts'
import { savedBetween } from '../conversation/clearing.ts'
import { fixedCost, insertionCost, markerCost, systemsRoom, unitCost } from './cost.ts'
import type { Draft, OwnDraft } from './draft.ts'
import { dropToFit, leastShortened } from './drop-to-fit.ts'
import { findSpan } from './span.ts'

const why = 'older than what fits'

/**
 * Leaves out what policies named as first to go, then the oldest units, so that the longest run of recent ones that fits
 * stays. Runs after every policy, so that none can exceed the window. Looks only at kept units, never at the whole history.
 */
export function cutOldest<D extends Draft>(start: D, room = start.capacity): D {
  if (start.tokens <= room) return start
  const draft = start.spare.reduce((left, spare) => dropToFit(left, spare, room), start).as(start.rule)
  if (draft.tokens <= room) return draft
  const aged = fixedCost(draft.frame) + markerCost(draft.frame) > room ? withoutOldSystems(draft) : draft
  const first = findCut(aged, room)
  const shorten = (more: number) => aged.dropRange(0, first + more, why)
  let shorter = leastShortened(shorten, aged.units.length - first, room)
  // When no units are left to drop, texts that a policy added go.
  while (shorter.tokens > room && shorter.insertions.length > 0) shorter = shorter.dropFirstInsertion(why)
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
      free -= unitCost(frame, index) - savedBetween(frame.transcript, draft.cleared, index, index + 1)
    if (free < 0) return span ? span.to : index + 1
  }
  return 0
}
