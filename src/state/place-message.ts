import { isUnchanged, type Looks, looksOf } from '../log/looks.ts'
import type { Message } from '../log/message.ts'
import { readMessage } from '../log/parse-message.ts'

export interface Placed {
  readonly seq: number
  readonly source: object
  readonly message: Message
}

/** The reading of a message object: callers come again with a longer list, and old messages are not read twice. */
interface Reading {
  readonly looks: Looks
  readonly message: Message
}

const readings = new WeakMap<object, Reading>()

/** Reads a message once, and again if it was changed in place (by a stream, say). Throws InvalidMessageError. */
export function placeMessage(source: object, seq: number): Placed {
  const known = readings.get(source)
  if (known && isUnchanged(known.looks, source)) return { seq, source, message: known.message }
  const message = readMessage(source, seq)
  readings.set(source, { looks: looksOf(source), message })
  return { seq, source, message }
}
