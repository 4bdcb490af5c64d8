import type { Role } from '../log/message.ts'

/** What became of an entry. */
export type Fate = (typeof fates)[number]

export const fates = ['kept', 'altered', 'digested', 'recalled', 'moved', 'elided'] as const

/** The parts of a context that the receipt adds up. */
export type Part = (typeof parts)[number]

export const parts = [
  'framing',
  'tools',
  'system',
  'first',
  'marker',
  'notes',
  'digests',
  'journal',
  'recall',
  'history',
  'latest',
] as const

/** One line for one message of the input. */
export interface ReceiptEntry {
  /** The message's place in the given list, counted from 0. */
  readonly seq: number
  readonly role: Role
  readonly fate: Fate
  /** The rule that decided, and its reason in words for a person. */
  readonly rule: string
  readonly why: string
  /** The whole message's tokens. */
  readonly tokens: number
}

/** The common fate of messages in a row: left out, or replaced by one added text. */
export interface ReceiptStretch extends Pick<ReceiptEntry, 'fate' | 'rule' | 'why'> {
  /** The first and the last message. */
  readonly first: number
  readonly last: number
}

/** A message of the context that the input did not have. */
export interface Inserted {
  readonly part: Part
  /** The place in the context's messages. */
  readonly place: number
  readonly text: string
  readonly tokens: number
  readonly why: string
}

/** A note that is sent in the notes section, and not with the reply that it ended. */
export interface GatheredNote {
  /** The note's place in the given list. */
  readonly seq: number
  /** The place in the context's messages before which it was written. */
  readonly before: number
  readonly text: string
}

/** The common beginning of this prompt and the previous one. */
export interface SharedPrefix {
  readonly tokens: number
  /** The share of this context's tokens, from 0 to 1. */
  readonly share: number
}

/** Where, when and why a policy that cuts seldom (`stable`, and all with recall) has cut the conversation, and what it keeps free. */
export interface ReceiptCut {
  /** The first message after the cut: earlier ones are not sent as they are, unless protected. */
  readonly before: number
  /** The message at which the cut fell: `needed` tokens of conversation were to be sent then, with room for `limit`. */
  readonly at: number
  readonly needed: number
  readonly limit: number
  /** The tokens by which the conversation may grow before the next cut. */
  readonly growth: number
  /** The tokens kept for recall. */
  readonly recall: number
}

/** A fault of a function that you passed (a digester), and the exchange it was called for. */
export interface ReceiptFault {
  /** The user message of the exchange. */
  readonly seq: number
  readonly problem: string
}

/** Accounts for every token of a context and for every message of the conversation. */
export interface Receipt {
  readonly policy: string
  readonly counter: string
  readonly window: number
  readonly reserve: number
  /** Tokens kept free because the counter only estimates. */
  readonly margin: number
  /** The tokens that may be used: window - reserve - margin. */
  readonly capacity: number
  readonly tokens: number
  /** The unused tokens of the capacity. */
  readonly free: number
  /** By how much the protected part exceeds the capacity: 0 except with `overflow: 'keep'`. */
  readonly over: number
  readonly parts: Readonly<Record<Part, number>>
  readonly counts: Readonly<Record<Fate, number>>
  readonly inserted: readonly Inserted[]
  /** The notes of the notes section, in order. */
  readonly notes: readonly GatheredNote[]
  /** Present when the policy has cut the conversation: see `explain`. */
  readonly cut?: ReceiptCut
  /** Digesters that threw or returned no text: the next digester was asked. */
  readonly faults: readonly ReceiptFault[]
  /** Present when the previous call is known. */
  readonly prefix?: SharedPrefix
  /**
   * A shorter form of `entries`: the stretches that were not sent as they are, then the sent messages, one by one. A message
   * in two of them counts by the later one; a note or a stray result inside a stretch has its own reason.
   */
  readonly stretches: readonly ReceiptStretch[]
  /** Every message of the input, in order. Made when first read: a history may be long. */
  readonly entries: readonly ReceiptEntry[]
}
