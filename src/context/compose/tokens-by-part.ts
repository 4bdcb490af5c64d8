import type { Frame } from '../draft/frame.ts'
import type { Piece } from '../draft/piece.ts'
import { type Part, parts } from '../receipt.ts'

/** `totalTokens` part by part. In a joined piece each part counts as if alone, and the piece keeps the rest. */
export function tokensByPart(frame: Frame, pieces: readonly Piece[]): Record<Part, number> {
  const sums = Object.fromEntries(parts.map(part => [part, 0])) as Record<Part, number>
  sums.tools = frame.toolTokens
  sums.framing = frame.count.prompt
  for (const piece of pieces) {
    let rest = piece.tokens
    for (const { part, tokens } of piece.carries ?? []) {
      const share = Math.min(rest, tokens)
      sums[part] += share
      rest -= share
    }
    sums[piece.part] += rest
  }
  return sums
}
