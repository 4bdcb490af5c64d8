import type { Part } from '../receipt.ts'

/** A text that a policy adds, as a message of its own before a unit. */
export interface Insertion {
  readonly part: Part
  /** Index of the unit that it stands before. */
  readonly before: number
  readonly role: 'system' | 'user'
  readonly text: string
  /** What it costs, where that is known. */
  readonly tokens?: number
  readonly why: string
  /** The stretches of units that it stands for: without it they are simply left out. */
  readonly of: readonly ExplainedStretch[]
  /** It belongs to the unit that it stands before and goes with it. A digest goes with the units it stands for. */
  readonly beside?: boolean
  /** What its digesters did wrong, and on which unit. */
  readonly faults?: readonly Fault[]
  /** Where roles alternate it is answered `(acknowledged)` instead of joined to the next user message. */
  readonly answered?: boolean
}

export interface Fault {
  readonly unit: number
  readonly problem: string
}

export interface Stretch {
  readonly from: number
  readonly to: number
}

/** A stretch with a reason of its own. */
export interface ExplainedStretch extends Stretch {
  readonly why?: string
}
