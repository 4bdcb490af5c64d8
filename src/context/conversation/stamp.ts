import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { mapTexts } from '../../log/write-message.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import type { TokenCounter } from '../../tokens/counter.ts'

/** What was read and counted of a message object, remembered so that no text is ever tokenised twice. */
export interface Stamp {
  /** What the message looked like then: see `isFresh`. */
  readonly looks: readonly unknown[]
  readonly message: Message
  /** What is sent in its place: a text that looks like a note of ours is quoted. */
  readonly raw?: MessageLike
  readonly counter: string
  readonly tokens: number
}

const stamps = new WeakMap<object, Stamp>()

export function stampMessage(source: MessageLike, seq: number, count: TokenCounter): Stamp {
  const known = typeof source === 'object' && source !== null ? stamps.get(source) : undefined
  const isKnown = known !== undefined && isFresh(known, source)
  if (isKnown && known.counter === count.id) return known
  const stamp = isKnown ? counted(known, count) : counted(readMessage(source, seq), count)
  stamps.set(source, stamp)
  return stamp
}

/** Stamps a message whose tokens were counted when it was logged: no text is tokenised again. */
export function adoptStamp(source: MessageLike, seq: number, counter: string, tokens: number): Stamp {
  const stamp = { ...readMessage(source, seq), counter, tokens }
  stamps.set(source, stamp)
  return stamp
}

/** False when the caller has changed the message in place since it was stamped. */
export function isFresh({ looks }: Stamp, source: MessageLike): boolean {
  const now = looksOf(source)
  return now.length === looks.length && now.every((value, at) => value === looks[at])
}

function readMessage(source: MessageLike, seq: number): Omit<Stamp, 'counter' | 'tokens'> {
  const read = parseMessage(source, seq)
  const isOurs = read.role === 'system' || read.role === 'assistant_note'
  const raw = isOurs ? source : mapTexts(source, neutralizeNotes)
  const message = raw === source ? read : parseMessage(raw, seq)
  return { looks: looksOf(source), message, ...(raw === source ? {} : { raw }) }
}

const counted = (read: Omit<Stamp, 'counter' | 'tokens'>, count: TokenCounter): Stamp => ({
  ...read,
  counter: count.id,
  tokens: count.message(read.message),
})

/** The values that tell whether a message is as it was: its fields, and the texts one level below. */
function looksOf(source: MessageLike): readonly unknown[] {
  const { role, content, thinking, tool_calls: calls, images } = source
  const looks = [role, content, thinking, calls, images]
  if (Array.isArray(images)) looks.push(images.length)
  if (Array.isArray(content))
    for (const part of content) looks.push(part, part?.text, part?.output, part?.input)
  if (Array.isArray(calls)) for (const call of calls) looks.push(call, call?.function?.arguments)
  return looks
}
