import type { Transcript } from '../conversation/transcript.ts'

/** System messages in the conversation that are not sent any more, each with the reason. */
export interface Aged {
  readonly units: ReadonlyMap<number, string>
  readonly tokens: number
}

export const nothingAged: Aged = { units: new Map(), tokens: 0 }

/**
 * Of system messages before a unit that say the same, the last is sent: agents repeat their reminders. Others are sent while
 * they take at most `most` tokens, and the last one always; the oldest go first.
 */
export function ageSystems({ systems, units }: Transcript, before: number, most: number): Aged {
  const aged = new Map<number, string>()
  const said = new Set<number>()
  let [sent, tokens] = [0, 0]
  for (const index of systems.toReversed()) {
    if (index >= before) continue
    const unit = units[index]!
    const text = unit.touched[0]!
    const isRepeated = said.has(text)
    said.add(text)
    if (!isRepeated && (said.size === 1 || sent + unit.tokens <= most)) sent += unit.tokens
    else {
      aged.set(index, isRepeated ? 'the same system message stands later' : 'an older system message')
      tokens += unit.tokens
    }
  }
  return { units: aged, tokens }
}
