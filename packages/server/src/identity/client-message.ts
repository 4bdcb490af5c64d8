import { type Message, type MessageLike, readMessage } from '@throughline/core/messages'

/** A message of a client's list, with what is read of it. */
export interface ClientMessage {
  readonly source: MessageLike
  readonly reading: Message
}

/** Reads a message of a client. Of a long list most come again, as the same objects. `seq`: its place, for errors. */
export function clientMessage(source: MessageLike, seq: number): ClientMessage {
  const before = readBefore.get(source)
  if (before) return before
  const message = { source, reading: readMessage(source, seq) }
  readBefore.set(source, message)
  return message
}

const readBefore = new WeakMap<MessageLike, ClientMessage>()

export const clientMessages = (sources: readonly MessageLike[]): readonly ClientMessage[] =>
  sources.map(clientMessage)
