import type { Transcript } from './transcript.ts'

/** The share of the room that system messages in the conversation may take. */
export const systemsShare = 1 / 8

/** How many system messages in the conversation are not sent any more, and their tokens. */
export interface Aged {
  readonly count: number
  readonly tokens: number
}

export const nothingAged: Aged = { count: 0, tokens: 0 }

/**
 * Gives what has aged before a unit. Of system messages of one shape (dates, reminders, states), the last is sent. Others are sent
 * while they take at most `most` tokens, and the last one always; the oldest go first. Made for units in ascending order: an agent's
 * turn may have thousands of reminders, which are read once for all its cuts.
 */
export function createAgeing(transcript: Transcript, most: number): (before: number) => Aged {
  const { systems, units, systemCostBefore } = transcript
  const newest = new Map<number, number>()
  let count = 0
  return before => {
    for (; systems[count]! < before; count++) {
      const shape = shapeAt(transcript, systems[count]!)
      // Behind the others, so that the map is in the order of the newest of each shape.
      newest.delete(shape)
      newest.set(shape, systems[count]!)
    }
    const sent = sentOf(units, [...newest.values()].reverse(), most)
    return { count: count - sent.count, tokens: systemCostBefore[before]! - sent.tokens }
  }
}

const shapeAt = ({ units }: Transcript, unit: number) => units[unit]!.touched[0]!

/** Of the newest system messages of their shapes, the newest first, those that are sent. */
function sentOf(units: Transcript['units'], newest: readonly number[], most: number) {
  const sent = new Set<number>()
  let tokens = 0
  for (const index of newest) {
    const cost = units[index]!.tokens
    if (sent.size > 0 && tokens + cost > most) continue
    tokens += cost
    sent.add(index)
  }
  return { count: sent.size, tokens, sent }
}

/** The system messages before a unit that have aged, see `createAgeing`, each with the reason. */
export function ageSystems(
  transcript: Transcript,
  before: number,
  most: number,
): ReadonlyMap<number, string> {
  const older = transcript.systems.filter(index => index < before).reverse()
  const shapes = new Map<number, number>()
  for (const index of older) {
    const shape = shapeAt(transcript, index)
    if (!shapes.has(shape)) shapes.set(shape, index)
  }
  const newest = new Set(shapes.values())
  const { sent } = sentOf(transcript.units, [...newest], most)
  const why = (index: number) =>
    newest.has(index) ? 'an older system message' : 'a newer system message of the same shape is sent'
  return new Map(older.filter(index => !sent.has(index)).map(index => [index, why(index)]))
}
