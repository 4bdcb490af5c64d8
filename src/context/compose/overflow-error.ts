import { ThroughlineError } from '../../log/error.ts'
import type { Part } from '../receipt.ts'

interface Figures {
  readonly window: number
  readonly reserve: number
  readonly capacity: number
  readonly needed: number
  readonly parts: Readonly<Record<Part, number>>
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
