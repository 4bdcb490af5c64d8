import type { MessageLike } from '../log/message.ts'
import { parseMessage } from '../log/parse-message.ts'
import type { NewEntry, StoredEntry } from '../stores/store.ts'
import { CorruptEntryError } from '../stores/store-error.ts'
import type { TokenCounter } from '../tokens/counter.ts'

/** A message of the log with its place. */
export interface LoggedMessage {
  readonly seq: number
  readonly turn: number
  readonly id: string
  readonly time: number
  readonly message: MessageLike
  /** Written by us to close a turn that did not end by itself: sent to the model, not shown to the user. */
  readonly isClosing: boolean
}

interface Payload {
  readonly message: MessageLike
  readonly closing?: true
}

/** A message on its way into the log: checked, normalised, its tokens counted once and for all. */
export function toEntry(
  message: MessageLike,
  {
    id,
    time,
    count,
    isClosing = false,
  }: { id: string; time: number; count: TokenCounter; isClosing?: boolean },
): NewEntry {
  const read = parseMessage(message, 0)
  const payload: Payload = isClosing ? { message, closing: true } : { message }
  return {
    id,
    role: read.role,
    time,
    payload: JSON.stringify(payload, (_, value) => (typeof value === 'string' ? normalize(value) : value)),
    tokens: { [count.id]: count.message(read) },
  }
}

/** Reads an entry back. A payload that cannot be read is an error with its place: nothing is skipped in silence. */
export function fromEntry(entry: StoredEntry, thread: string): LoggedMessage {
  const { seq, turn, id, time, payload } = entry
  try {
    const { message, closing } = JSON.parse(payload) as Payload
    parseMessage(message, seq)
    return { seq, turn, id, time, message: withTime(message, time), isClosing: closing === true }
  } catch (error) {
    throw new CorruptEntryError(thread, seq, error instanceof Error ? error.message : String(error), {
      cause: error,
    })
  }
}

/** Recall finds sessions by pauses, so a message must carry its time; one of its own stays. */
function withTime(message: MessageLike, time: number): MessageLike {
  return 'time' in message ? message : ({ ...message, time } as MessageLike)
}

/** What no text store and no wire takes: half surrogate pairs and NUL. */
function normalize(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, '\uFFFD')
}
