import type { Role } from '../log/message.ts'

/** What became of an entry. */
export type Fate = 'kept' | 'altered' | 'digested' | 'recalled' | 'moved' | 'elided'

export const fates: readonly Fate[] = ['kept', 'altered', 'digested', 'recalled', 'moved', 'elided']

/** The parts of a context that the receipt adds up. */
export type Part =
  | 'framing'
  | 'tools'
  | 'system'
  | 'first'
  | 'marker'
  | 'notes'
  | 'digests'
  | 'journal'
  | 'recall'
  | 'history'
  | 'latest'

export const parts: readonly Part[] = [
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
]

/** One line for one message of the input. */
export interface ReceiptEntry {
  /** Its place in the list that was given, counted from 0. */
  readonly seq: number
  readonly role: Role
  readonly fate: Fate
  /** Which rule decided, and why, in words for a person. */
  readonly rule: string
  readonly why: string
  /** What it costs whole. */
  readonly tokens: number
}

/** What became of messages in a row, in one line: what was left out, or what one added text stands for. */
export interface ReceiptStretch extends Pick<ReceiptEntry, 'fate' | 'rule' | 'why'> {
  /** The first and the last of them. */
  readonly first: number
  readonly last: number
}

/** A message of the context that the input did not have. */
export interface Inserted {
  readonly part: Part
  /** Its place in the context's messages. */
  readonly place: number
  readonly text: string
  readonly tokens: number
  readonly why: string
}

/** What the prompt's beginning has in common with that of the call before. */
export interface SharedPrefix {
  readonly tokens: number
  /** From 0 to 1: of all tokens of this context. */
  readonly share: number
}

/** Where a policy that cuts seldom (`stable`, and all with recall) has cut the conversation, when, why, and what it keeps free. */
export interface ReceiptCut {
  /** The first message after the cut: what stands before it is not sent as it is, unless it is protected. */
  readonly before: number
  /** The message at which it fell: `needed` tokens of conversation were to be sent then, and `limit` had room. */
  readonly at: number
  readonly needed: number
  readonly limit: number
  /** By how many tokens the conversation may grow until it is cut again. */
  readonly growth: number
  /** How many tokens are kept for what a message asks for. */
  readonly recall: number
}

/** Something of yours that went wrong while the context was made, and what it was about. */
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
  /** Kept free because the counter only estimates. */
  readonly margin: number
  /** What may be used: window - reserve - margin. */
  readonly capacity: number
  readonly tokens: number
  /** What is left of the capacity. */
  readonly free: number
  /** By how much the protected part exceeds the capacity: 0 unless `overflow: 'keep'` had to be used. */
  readonly over: number
  readonly parts: Readonly<Record<Part, number>>
  readonly counts: Readonly<Record<Fate, number>>
  readonly inserted: readonly Inserted[]
  /** Present when the policy has cut the conversation: see `explain`. */
  readonly cut?: ReceiptCut
  /** Digesters that threw, or gave what is no text: the next one was asked. */
  readonly faults: readonly ReceiptFault[]
  /** Present when the call before is known. */
  readonly prefix?: SharedPrefix
  /**
   * The same as `entries`, in short: stretches of what was not sent as it is, then what was sent, message by message. A
   * message that is in two counts by the later one; a note or a stray result inside of a stretch has its own reason.
   */
  readonly stretches: readonly ReceiptStretch[]
  /** Every message of the input, in order. Made when it is first asked for: a history may be long. */
  readonly entries: readonly ReceiptEntry[]
}
