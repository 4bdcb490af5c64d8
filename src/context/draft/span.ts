import { rangeAt } from '../conversation/first-place.ts'
import type { Part, ReceiptRule, Remembered } from '../receipt.ts'

/** Units in a row that are not sent as they are, and why. */
export interface Span extends UnitRange {
  readonly fate: 'omitted' | 'digested' | 'recalled'
  readonly rule: string
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
  readonly part: Part
  /** Index of the unit after the text. */
  readonly before: number
  readonly role: 'system' | 'user'
  readonly text: string
  /** The text's tokens, where known. */
  readonly tokens?: number
  readonly why: string
  /** The units that the text stands for: without it they are simply left out. */
  readonly of: readonly StandsFor[]
  /** The text belongs to the unit after it and is dropped with it. A digest is dropped with the units it stands for. */
  readonly beside?: boolean
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
