import { isUnchanged, type Looks, looksOf } from '../../log/looks.ts'
import type { Message, MessageLike, Role } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { mapTexts, withoutCalls } from '../../log/write-message.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'

/** A message of the conversation, read and counted. */
export interface Entry<M extends MessageLike = MessageLike> {
  /** The caller's own object. */
  readonly source: M
  /** The message that is sent: most often `source` itself. */
  readonly raw: M
  /** Why another message is sent: text that looks like a note is quoted, for example. */
  readonly altered?: { readonly rule: string; readonly why: string } | undefined
  /** Why a message before the conversation is not sent. */
  readonly left?: { readonly rule: string; readonly why: string } | undefined
  /** What is read of `raw`, in the same form for every provider. */
  readonly message: Message
  /** What is read of `source`: another than `message` where another message is sent. */
  readonly original: Message
  /** The role of `message`. */
  readonly role: Role
  /** What the message costs by the counter. */
  readonly tokens: number
  /** The id of the counter. */
  readonly counter: string
  /** Tells whether the caller has changed the message since it was read. */
  readonly looks: Looks
}

/** Entries by message object, so that no text is tokenised twice. */
const entries = new WeakMap<object, Entry>()

export function stampEntry(source: MessageLike, seq: number, count: TokenCounter): Entry {
  const cached = entries.get(source)
  const read = cached && isUnchanged(cached.looks, source) ? cached : readSource(source, seq)
  if (read === cached && cached.counter === count.id) return cached
  return stamped(read, count.id, count.message(read.message))
}

/** Stamps a message whose tokens were counted when it was logged. */
export function adoptEntry(
  source: MessageLike,
  seq: number,
  counter: string,
  tokens: number,
): Entry {
  return stamped(readSource(source, seq), counter, tokens)
}

type UnstampedEntry = Omit<Entry, 'counter' | 'tokens'>

function stamped(read: UnstampedEntry, counter: string, tokens: number): Entry {
  const entry = { ...read, counter, tokens }
  entries.set(read.source, entry)
  return entry
}

function readSource(source: MessageLike, seq: number): UnstampedEntry {
  const looks = looksOf(source)
  const message = readMessage(source, seq)
  const { role, misplacedCalls } = message
  const isOurs = role === 'system' || role === 'assistant_note'
  const placed = misplacedCalls === undefined ? source : withoutCalls(source)
  const raw = isOurs ? placed : mapTexts(placed, neutralizeNotes)
  if (raw === source) return { source, raw, message, original: message, role, looks }
  const altered = placed === source ? quotedNote : withoutItsCalls
  const sent = readMessage(raw, seq)
  return { source, raw, altered, message: sent, original: message, role, looks }
}

/** Whether nothing else was changed in a message than a text that looks like a note. */
export const isQuotedNote = ({ altered }: Entry): boolean => altered === quotedNote

const quotedNote = {
  rule: 'notes',
  why: 'a text that looks like a note to self is quoted: only the model writes notes',
}
const withoutItsCalls = {
  rule: 'valid sequence',
  why: 'only the assistant calls tools: its calls are not sent',
}
