import type { Fate } from '../log/fate-text.ts'
import type { Role } from '../log/message.ts'

export { type Fate, fates } from '../log/fate-text.ts'

/** The parts of a context that the receipt adds up. */
export type Part = (typeof parts)[number]

export const parts = [
  'framing',
  'tools',
  'system',
  'first',
  'rules',
  'marker',
  'notes',
  'digests',
  'journal',
  'recall',
  'history',
  'changing',
  'latest',
] as const

/** One line for one message of the input. */
export interface ReceiptEntry {
  /** The message's place: counted from 0 in a list, from 1 in a log, where 0 is the system prompt of the call. */
  readonly seq: number
  /** Who says it. */
  readonly role: Role
  /** What became of it: `kept`, `omitted` … */
  readonly fate: Fate
  /** The rule that decided, and its reason in words for a person. */
  readonly rule: string
  /** The reason, as a person reads it. */
  readonly why: string
  /** The whole message's tokens. */
  readonly tokens: number
}

/** The common fate of messages in a row. */
export interface ReceiptStretch extends Pick<ReceiptEntry, 'fate' | 'rule' | 'why'> {
  /** The first and the last message. */
  readonly first: number
  /** The last message, included. */
  readonly last: number
}

/** Which messages of other conversations a block has. */
export interface Remembered {
  /** The place of the message that has brought them back. */
  readonly for: number
  /** Which of its quotes these are, counted from 0, the best first. */
  readonly quotes: readonly number[]
}

/** One message of the context: what it is, and what it stands for. */
export interface SentMessage {
  /** What it is: part of the prompt, the history, a digest … */
  readonly part: Part
  /** What it costs by the counter. */
  readonly tokens: number
  /** The messages of the input that it is, as they are or altered. None: the library added it. */
  readonly seqs: readonly number[]
  /** The messages of the input that it stands for: quoted in a block, replaced by a digest or a journal, or gathered as notes. */
  readonly standsFor: readonly number[]
  /** Set for a block of messages from other conversations. */
  readonly remembered?: Remembered | undefined
  /** What the library added, and why. */
  readonly text?: string
  /** Why the library added it. */
  readonly why?: string
  /** What was joined to it: the notes in a system prompt; with `shape: 'alternating'` also messages, markers and blocks. */
  readonly joined?: readonly SentMessage[]
}

/** The lines of the system prompt that stand just before the newest message, because they change. */
export interface ChangingLines {
  /** The lines word for word, in their order. */
  readonly lines: readonly string[]
  /** What their message costs by the counter. */
  readonly tokens: number
  /** The tokens behind the first changing line that need not be read again thanks to it. Known if the previous call is. */
  readonly saved?: number
}

/** The common beginning of this prompt and the previous one. */
export interface SharedPrefix {
  /** The tokens that both prompts begin with: a server may have them in its cache. */
  readonly tokens: number
  /** The share of this context's tokens, from 0 to 1. */
  readonly share: number
}

/** Where, when and why a policy that cuts seldom (`stable`, and all with recall) cut the conversation, and what it keeps free. */
export interface ReceiptCut {
  /** The first message after the cut: earlier ones are not sent as they are, unless protected. */
  readonly before: number
  /** The message at which the cut fell: `needed` tokens of conversation were to be sent then, with room for `limit`. */
  readonly at: number
  /** The tokens of conversation that were to be sent at `at`. */
  readonly needed: number
  /** The tokens that there was room for. */
  readonly limit: number
  /** The first message of what stays by right: the last exchanges, and a pasted text. Recall takes the room of earlier ones. */
  readonly right?: number | undefined
  /** The tokens by which the conversation may grow before the next cut. */
  readonly growth: number
  /** In about how many turns, each as long as the last ones, that will be. */
  readonly turns: number
  /** The tokens kept for recall. */
  readonly recall: number
}

/** A sentence of a user that is meant to hold for the rest of the conversation, and the place of its message. */
export interface ReceiptRule {
  readonly seq: number
  readonly text: string
}

/** A fault of a function that you passed (a digester), and the exchange it was called for. */
export interface ReceiptFault {
  /** The user message of the exchange. */
  readonly seq: number
  /** What went wrong, in words: the message of what was thrown, for example. */
  readonly problem: string
}

/** Accounts for every token of a context and for every message of the conversation. */
export interface Receipt {
  /** The name of the policy that chose. */
  readonly policy: string
  /** The id of the counter that all figures are counted by. */
  readonly counter: string
  /** As they were set, in the model's tokens; the other figures are those of the counter, also where it is calibrated. */
  readonly window: number
  /** Tokens kept free for the reply, in the model's tokens. */
  readonly reserve: number
  /** Tokens kept free because the counter only estimates. */
  readonly margin: number
  /** The tokens that may be used: window - reserve - margin, by the counter. */
  readonly capacity: number
  /** What is sent, by the counter. */
  readonly tokens: number
  /** The unused tokens of the capacity. */
  readonly free: number
  /** By how much the protected part exceeds the capacity: 0 except with `overflow: 'keep'`. */
  readonly over: number
  /** What each part of the context costs; they add up to `tokens`. */
  readonly parts: Readonly<Record<Part, number>>
  /** How many messages of the conversation have each fate. */
  readonly counts: Readonly<Record<Fate, number>>
  /** What is sent: an account of every message of the context, in order. Made when first read. */
  readonly sent: readonly SentMessage[]
  /** Present when the policy has cut the conversation: see `explain`. */
  readonly cut?: ReceiptCut
  /** The tokens that shorter descriptions of tools saved; present where `maxToolTokens` had them shortened. */
  readonly toolsSaved?: number
  /** Digesters that threw or returned no text: the next digester was asked. */
  readonly faults: readonly ReceiptFault[]
  /** Present when lines of the system prompt stand apart. */
  readonly changing?: ChangingLines
  /** Standing rules of the user whose messages are not sent: they stand behind the system prompt, word for word. */
  readonly rules?: readonly ReceiptRule[]
  /** Present when the previous call is known. */
  readonly prefix?: SharedPrefix
  /** `entries` in short, every message once. In a long unsent stretch, only `entries` has reasons of notes and stray results. */
  readonly stretches: readonly ReceiptStretch[]
  /** Every message of the input, in order. Made when first read: a history may be long. */
  readonly entries: readonly ReceiptEntry[]
}
