import type { Part } from '../receipt.ts'

/** A text that a policy adds before a unit, as a message of its own. */
export interface Insertion {
  readonly part: Part
  /** Index of the unit after the text. */
  readonly before: number
  readonly role: 'system' | 'user'
  readonly text: string
  /** The text's tokens, where known. */
  readonly tokens?: number
  readonly why: string
  /** The stretches of units that the text stands for: without it they are simply left out. */
  readonly of: readonly ExplainedStretch[]
  /** The text belongs to the unit after it and is dropped with it. A digest is dropped with the units it stands for. */
  readonly beside?: boolean
  /** Faults of digesters, and on which unit. */
  readonly faults?: readonly Fault[]
  /** Where roles alternate, the text is answered `(acknowledged)` instead of joined to the next user message. */
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

export interface ExplainedStretch extends Stretch {
  readonly why?: string
}
