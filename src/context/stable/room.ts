import { markerCost, unitCost } from '../draft/cost.ts'
import type { Frame } from '../draft/frame.ts'
import type { FoldConfig } from './fold.ts'

/** How a stable policy divides the room beside system prompt and tools. */
export interface Shares {
  /** Kept free for recalled entries. */
  readonly recall: number
  /** Kept free for digests and the journal. */
  readonly digests: number
  /** After a cut the tail is at most this share of its room. */
  readonly low: number
  /** The last exchange survives a cut if it takes at most this share. */
  readonly keep: number
  /** Smallest charge for a user message. */
  readonly least: number
}

export interface Room extends FoldConfig {
  /** The room beside system prompt and tools, which all shares refer to. */
  readonly base: number
  readonly digests: number
  readonly recall: number
}

/**
 * Divides the window by maximum charges, not by the present cost of marker, notes, digests and recall: what varies from
 * turn to turn must not move the cut. System prompt and tools are rounded up for the same reason (a date in the prompt).
 */
export function divideRoom(frame: Frame, shares: Shares): Room {
  const { window, capacity, count, head, toolTokens, transcript, notes, noteBudget } = frame
  const step = Math.ceil(window / 16)
  const headTokens = head.reduce((sum, piece) => sum + piece.tokens, toolTokens)
  const base = Math.max(0, capacity - count.prompt - Math.ceil(headTokens / step) * step)
  const first = transcript.firstUser < 0 ? 0 : unitCost(frame, transcript.firstUser)
  const inlineNotes = notes === 'inline'
  const noteCharge = inlineNotes && transcript.notes.length > 0 ? noteBudget : 0
  const digests = Math.floor(base * shares.digests)
  const recall = Math.floor(base * shares.recall)
  const whole = Math.max(0, base - first)
  const tail = Math.max(0, whole - markerCost(frame) - noteCharge - digests - recall)
  return {
    base,
    digests,
    recall,
    whole,
    tail,
    low: Math.floor(tail * shares.low),
    keep: Math.floor((tail + recall) * shares.keep),
    least: Math.floor(base * shares.least),
    inlineNotes,
  }
}
