import { rangeAt } from '../conversation/first-place.ts'
import type { Part, ReceiptRule, Remembered } from '../receipt.ts'

/** Units in a row that are not sent as they are, and why. */
export interface Span extends UnitRange {
  /** `digested` and `recalled`: an inserted text stands for them. `omitted`: nothing does. */
  readonly fate: 'omitted' | 'digested' | 'recalled'
  /** The name of the rule for the receipt. */
  readonly rule: string
  /** The reason for the receipt, as a person reads it. */
  readonly why: string
}

/** Lays spans over others; where they overlap the new ones win. All lists are sorted and disjoint. */
export function laySpans(old: readonly Span[], added: readonly Span[]): readonly Span[] {
  const result: Span[] = [...added]
  let next = 0
  for (const span of old) {
    let { from } = span
    while (next < added.length && added[next]!.to <= from) next += 1
    for (let at = next; at < added.length && added[at]!.from < span.to; at++) {
      if (added[at]!.from > from) result.push({ ...span, from, to: added[at]!.from })
      from = Math.max(from, added[at]!.to)
    }
    if (from < span.to) result.push({ ...span, from })
  }
  return result.sort((a, b) => a.from - b.from)
}

export function findSpan(spans: readonly Span[], unit: number): Span | undefined {
  const span = spans[rangeAt(spans, unit)]
  return span && span.from <= unit ? span : undefined
}

/** A text that a policy adds before a unit, as a message of its own. */
export interface Insertion {
  /** The part of the receipt that its tokens count to. */
  readonly part: Part
  /** Index of the unit after the text. */
  readonly before: number
  /** The role of the message that is sent. */
  readonly role: 'system' | 'user'
  /** What is sent, word for word. */
  readonly text: string
  /** The text's tokens, where known. */
  readonly tokens?: number
  /** The reason for the receipt, as a person reads it. */
  readonly why: string
  /** The units that the text stands for: without it they are simply left out. */
  readonly of: readonly StandsFor[]
  /** The text belongs to the unit after it and is dropped with it. A digest is dropped with the units it stands for. */
  readonly beside?: boolean
  /** Set for a block of messages from other conversations. */
  readonly remembered?: Remembered | undefined
  /** The standing rules in it. */
  readonly rules?: readonly ReceiptRule[]
  /** Faults of digesters, and on which unit. */
  readonly faults?: readonly SpanFault[]
  /** The text quotes this unit's message whole, and is sent in its place. `tokens` is what it costs more than the message. */
  readonly quotes?: number
  /** Where roles alternate, the text is answered `(acknowledged)` instead of joined to the next user message. */
  readonly answered?: boolean
}

export interface SpanFault {
  readonly unit: number
  readonly problem: string
}

/** Units from one up to, not including, another. */
export interface UnitRange {
  readonly from: number
  readonly to: number
}

interface StandsFor extends UnitRange {
  readonly why?: string
  /** For a recalled unit: the unit with the words that were asked for, itself or one beside it. */
  readonly near?: number
}
