import type { Message, MessageLike } from '../../log/message.ts'
import { parseMessage } from '../../log/parse-message.ts'
import { mapTexts } from '../../log/write-message.ts'
import { neutralizeNotes } from '../../notes/neutralize.ts'
import type { TokenCounter } from '../../tokens/counter.ts'

/** What was read and counted of a message object, remembered so that no text is ever tokenised twice. */
interface Stamp {
  readonly content: unknown
  readonly calls: unknown
  readonly message: Message
  /** What is sent in its place: a text that looks like a note of ours is quoted. */
  readonly raw?: MessageLike
  counter: string
  tokens: number
}

const stamps = new WeakMap<object, Stamp>()

export function stampMessage(source: MessageLike, seq: number, count: TokenCounter): Stamp {
  const known = typeof source === 'object' && source !== null ? stamps.get(source) : undefined
  if (known && isFresh(known, source)) {
    if (known.counter === count.id) return known
    known.tokens = count.message(known.message)
    known.counter = count.id
    return known
  }
  const read = parseMessage(source, seq)
  const raw =
    read.role === 'system' || read.role === 'assistant_note' ? source : mapTexts(source, neutralizeNotes)
  const message = raw === source ? read : parseMessage(raw, seq)
  const { content, tool_calls: calls } = source as { content?: unknown; tool_calls?: unknown }
  const counted = { counter: count.id, tokens: count.message(message) }
  const stamp: Stamp = { content, calls, message, ...(raw === source ? {} : { raw }), ...counted }
  stamps.set(source, stamp)
  return stamp
}

/** False when the caller has changed the message in place since it was counted. */
export function isStamped(source: MessageLike): boolean {
  const stamp = stamps.get(source)
  return stamp !== undefined && isFresh(stamp, source)
}

function isFresh(stamp: Stamp, source: MessageLike): boolean {
  const { content, tool_calls: calls } = source as { content?: unknown; tool_calls?: unknown }
  return stamp.content === content && stamp.calls === calls
}
