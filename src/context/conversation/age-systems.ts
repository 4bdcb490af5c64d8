import type { Transcript } from './transcript.ts'

/** The share of the room that system messages in the conversation may take. */
export const systemsShare = 1 / 8

/**
 * Of system messages of one shape before a unit (dates, reminders, states), the last is sent. Others are sent while they take at most
 * `most` tokens, and the last one always; the oldest go first. Gives the tokens of those that are not sent any more, and puts them
 * into `aged`, each with the reason.
 */
export function ageSystems(
  { systems, units }: Transcript,
  before: number,
  most: number,
  aged?: Map<number, string>,
): number {
  const shapes = new Set<number>()
  let [sent, tokens] = [0, 0]
  for (let at = systems.length; at--; ) {
    const index = systems[at]!
    if (index >= before) continue
    const unit = units[index]!
    const shape = unit.touched[0]!
    const isRepeated = shapes.has(shape)
    shapes.add(shape)
    if (!isRepeated && (shapes.size === 1 || sent + unit.tokens <= most)) {
      sent += unit.tokens
      continue
    }
    tokens += unit.tokens
    aged?.set(
      index,
      isRepeated ? 'a newer system message of the same shape is sent' : 'an older system message',
    )
  }
  return tokens
}
