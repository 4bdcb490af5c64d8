import { ThroughlineError } from '../../log/error.ts'
import type { Part } from '../receipt.ts'

interface Figures {
  readonly window: number
  readonly reserve: number
  readonly capacity: number
  readonly needed: number
  readonly parts: Readonly<Record<Part, number>>
}

/** Even what must be sent does not fit. Carries the figures, so that a program can decide what to shorten. */
export class ContextOverflowError extends ThroughlineError {
  readonly window: number
  readonly reserve: number
  readonly capacity: number
  readonly needed: number
  readonly parts: Readonly<Record<Part, number>>

  constructor(figures: Figures, advice: string) {
    const { window, reserve, capacity, needed, parts } = figures
    const largest = Object.entries(parts)
      .filter(([, tokens]) => tokens > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([part, tokens]) => `${part} ${tokens}`)
      .join(', ')
    super(
      'context_overflow',
      `What must be sent needs ${needed} tokens, but ${capacity} are free (window ${window}, reserve ${reserve}): ${largest}. ${advice}`,
    )
    this.window = window
    this.reserve = reserve
    this.capacity = capacity
    this.needed = needed
    this.parts = parts
  }
}
