import type { Message } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'

/** A message with its place in the list. */
export interface Placed {
  readonly seq: number
  readonly source: object
  readonly message: Message
}

/** What was read of a message object: callers ask again with a list that has grown, and old ones are not read twice. */
interface Reading {
  readonly content: unknown
  readonly calls: unknown
  readonly size: number
  readonly message: Message
}

const readings = new WeakMap<object, Reading>()

/** Reads a message once. Throws InvalidMessageError where it is none. */
export function placeMessage(source: object, seq: number): Placed {
  const known = readings.get(source)
  if (known && isFresh(known, source)) return { seq, source, message: known.message }
  const message = readMessage(source, seq)
  const { content, tool_calls: calls } = source as Source
  readings.set(source, { content, calls, size: sizeOf(content, calls), message })
  return { seq, source, message }
}

interface Source {
  readonly content?: unknown
  readonly tool_calls?: unknown
}

/** False when the caller has changed the message in place: a stream that is written into it, say. */
function isFresh(known: Reading, source: Source): boolean {
  const { content, tool_calls: calls } = source
  return known.content === content && known.calls === calls && known.size === sizeOf(content, calls)
}

function sizeOf(content: unknown, calls: unknown): number {
  return (Array.isArray(content) ? content.length : 0) + (Array.isArray(calls) ? calls.length : 0)
}
