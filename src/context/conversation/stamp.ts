import { isUnchanged, type Looks, looksOf } from '../../log/looks.ts'
import type { Message, MessageLike } from '../../log/message.ts'
import { readMessage } from '../../log/parse-message.ts'
import { mapTexts, withoutCalls } from '../../log/write-message.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import type { TokenCounter } from '../../tokens/counter.ts'

/** What was read and counted of a message object, remembered so that no text is tokenised twice. */
export interface Stamp {
  readonly looks: Looks
  readonly message: Message
  /** The message sent in place of this one, and why: text that looks like a note is quoted, for example. */
  readonly raw?: MessageLike
  readonly altered?: { readonly rule: string; readonly why: string }
  readonly counter: string
  readonly tokens: number
}

const stamps = new WeakMap<object, Stamp>()

export function stampMessage(source: MessageLike, seq: number, count: TokenCounter): Stamp {
  const known = stamps.get(source)
  const read = known && isUnchanged(known.looks, source) ? known : readSource(source, seq)
  if (read === known && known.counter === count.id) return known
  return stamped(source, read, count.id, count.message(read.message))
}

/** Stamps a message whose tokens were counted when it was logged. */
export function adoptStamp(source: MessageLike, seq: number, counter: string, tokens: number): Stamp {
  return stamped(source, readSource(source, seq), counter, tokens)
}

function stamped(source: MessageLike, read: Read, counter: string, tokens: number): Stamp {
  const stamp = { ...read, counter, tokens }
  stamps.set(source, stamp)
  return stamp
}

type Read = Omit<Stamp, 'counter' | 'tokens'>

function readSource(source: MessageLike, seq: number): Read {
  const looks = looksOf(source)
  const read = readMessage(source, seq)
  const isOurs = read.role === 'system' || read.role === 'assistant_note'
  const own = read.misplacedCalls === undefined ? source : withoutCalls(source)
  const raw = isOurs ? own : mapTexts(own, neutralizeNotes)
  if (raw === source) return { looks, message: read }
  return {
    looks,
    message: readMessage(raw, seq),
    raw,
    altered: own === source ? quotedNote : withoutItsCalls,
  }
}

const quotedNote = {
  rule: 'notes',
  why: 'a text that looks like a note to self is quoted: only the model writes notes',
}
const withoutItsCalls = {
  rule: 'valid sequence',
  why: 'only the assistant calls tools: its calls are not sent',
}
