import type { Transcript } from './transcript.ts'

/** The share of the room that system messages in the conversation may take. */
export const systemsShare = 1 / 8

/** System messages in the conversation that are not sent any more, each with the reason. */
export interface Aged {
  readonly units: ReadonlyMap<number, string>
  readonly tokens: number
}

export const nothingAged: Aged = { units: new Map(), tokens: 0 }

/**
 * Of system messages of one shape before a unit (dates, reminders, states), the last is sent. Others are sent while they take at most
 * `most` tokens, and the last one always; the oldest go first.
 */
export function ageSystems({ systems, units }: Transcript, before: number, most: number): Aged {
  const aged = new Map<number, string>()
  const shapes = new Set<number>()
  let [sent, tokens] = [0, 0]
  for (const index of systems.toReversed()) {
    if (index >= before) continue
    const unit = units[index]!
    const shape = unit.touched[0]!
    const isRepeated = shapes.has(shape)
    shapes.add(shape)
    if (!isRepeated && (shapes.size === 1 || sent + unit.tokens <= most)) sent += unit.tokens
    else {
      aged.set(
        index,
        isRepeated ? 'a newer system message of the same shape is sent' : 'an older system message',
      )
      tokens += unit.tokens
    }
  }
  return { units: aged, tokens }
}
