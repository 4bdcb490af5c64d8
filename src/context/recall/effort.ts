import { InvalidOptionError } from '../../log/error.ts'
import { showValue } from '../../log/show-value.ts'

/** How much is recalled, and at what cost. */
export interface Effort {
  /** How much better than the best entry in view the best old entry must be before anything is recalled. */
  readonly gate: number
  /** Share of the room that is kept for blocks. */
  readonly room: number
  /** The largest block, as a share of the room. */
  readonly block: number
  /** The last exchange survives a cut if it takes at most this share. */
  readonly keep: number
}

/** Turns effort, 0 to 1, into shares: it moves the gate by powers, and above 0.5 gives more of the window to blocks. */
export function toEffort(effort: number): Effort {
  if (!(effort >= 0 && effort <= 1)) {
    throw new InvalidOptionError('effort', `expected a number from 0 to 1, got ${showValue(effort)}`)
  }
  const above = Math.max(0, 2 * effort - 1)
  return {
    // Rounded, as powers may differ in their last bit between engines.
    gate: Math.round(1.55 * 8 ** (1 - 2 * effort) * 1024) / 1024,
    room: 0.25 + 0.6 * above,
    block: 0.5 + 0.5 * above,
    keep: 0.5 - 0.15 * above,
  }
}

/** Share of the room that a block gets for each multiple of the gate above the first. */
export const slope = 1 / 10

/** Tokens before the newest message that count as in view. Not a share of the window: a long view would never recall. */
export const viewTokens = 1500

const question = 2.5

/** An imagined entry in view has this share of the message's words, so that a message about something new asks for nothing. */
const cover = 0.7

/** How strongly a message asks for something old; from 1 on something is recalled. */
export function strength(
  best: number,
  inView: number,
  whole: number,
  isAsking: boolean,
  { gate }: Effort,
): number {
  const bar = Math.max(1, inView, Math.round(cover * whole))
  return (best * (isAsking ? question : 1)) / (gate * bar)
}

/** Whether a text has a question mark or begins like a question: not everyone types the mark. */
export function isQuestion(text: string): boolean {
  return asks.test(text)
}

const asks =
  /[?？؟]|^\W*(?:what|when|where|who|whom|whose|which|how|why|did|do|does|is|are|was|were|has|have|had|remind|recall|tell me|list|summari[sz]e)\b/i
