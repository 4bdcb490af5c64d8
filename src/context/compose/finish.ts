import { ThroughlineError } from '../../log/error.ts'
import { tokensByPart, totalTokens } from '../draft/cost.ts'
import { cutOldest } from '../draft/cut-oldest.ts'
import type { FullDraft } from '../draft/draft.ts'
import type { Piece } from '../draft/piece.ts'
import type { Part } from '../receipt.ts'
import { alternate } from './alternate.ts'
import { compose } from './compose.ts'
import { trimPieces } from './trim.ts'

export interface Finished {
  readonly draft: FullDraft
  readonly pieces: readonly Piece[]
  readonly tokens: number
}

/** Makes any policy's draft fit, and applies the shape. */
export function finish(draft: FullDraft): Finished {
  const { frame, capacity } = draft
  const own = draft.as('window')
  let room = capacity
  for (;;) {
    const fitted = cutOldest(own, room)
    const composed = compose(fitted)
    const pieces = frame.shape === 'alternating' ? alternate(frame, composed) : composed
    const tokens = totalTokens(frame, pieces)
    const finished = { draft: fitted, pieces, tokens }
    if (tokens <= capacity) return finished
    // All that may go has gone, so the protected part alone is too large.
    if (fitted.tokens > room) return overflow(finished)
    // Joined texts can cost a token or two more than apart: leave that room and try again.
    room = Math.min(room, fitted.tokens) - (tokens - capacity)
  }
}

function overflow(finished: Finished): Finished {
  const { frame } = finished.draft
  if (frame.overflow === 'keep') return finished
  const isTrim = frame.overflow === 'trim'
  const pieces = isTrim ? trimPieces(frame, finished.pieces) : undefined
  if (pieces) return { ...finished, pieces, tokens: totalTokens(frame, pieces) }
  const { window, reserve, capacity } = frame
  const advice = isTrim
    ? 'Even cut texts do not fit: use a larger window, or fewer tools and images.'
    : "Use a larger window, shorten the largest part, or set overflow to 'trim' or 'keep'."
  const parts = tokensByPart(frame, finished.pieces)
  throw new ContextOverflowError({ window, reserve, capacity, needed: finished.tokens, parts }, advice)
}

/** The protected part does not fit. The error carries the figures, so that a program can decide what to shorten. */
export class ContextOverflowError extends ThroughlineError {
  declare readonly window: number
  declare readonly reserve: number
  declare readonly capacity: number
  declare readonly needed: number
  declare readonly parts: Readonly<Record<Part, number>>

  constructor(figures: Figures, advice: string) {
    const largest = Object.entries(figures.parts)
      .filter(([, tokens]) => tokens > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([part, tokens]) => `${part} ${tokens}`)
      .join(', ')
    super(
      'context_overflow',
      `What must be sent needs ${figures.needed} tokens, but ${figures.capacity} are free (window ${figures.window}, reserve ${figures.reserve}): ${largest}. ${advice}`,
    )
    Object.assign(this, figures)
  }
}

type Figures = Pick<ContextOverflowError, 'window' | 'reserve' | 'capacity' | 'needed' | 'parts'>
