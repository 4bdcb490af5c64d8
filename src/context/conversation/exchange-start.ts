import { firstPlace } from './first-place.ts'
import type { Transcript } from './transcript.ts'

/** Of more user messages in a row the older ones count as said before. */
const mostInRow = 32

/**
 * The unit at which the exchange before a turn begins: the first of the user messages that the last reply answers. User messages in a
 * row belong together. Where nothing was answered yet, the first user message of the conversation.
 */
export function exchangeStart({ turns, ordinaryBefore }: Transcript, turn: number): number {
  // The first user message is not among the ordinary units.
  const repliesBefore = (place: number) => ordinaryBefore[turns[place]!]! - Math.max(0, place - 1)
  const firstOfRow = (last: number) =>
    Math.max(
      last - mostInRow,
      firstPlace(last, place => repliesBefore(place) === repliesBefore(last)),
    )
  return turns[firstOfRow(Math.max(0, firstOfRow(turn) - 1))]!
}
