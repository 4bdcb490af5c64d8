import type { MessageLike } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/counter.ts'
import { stampEntry } from './stamp-entry.ts'
import { createTranscript, type Transcript } from './transcript.ts'
import type { Entry } from './unit.ts'

/** The messages of a conversation: the leading system messages, and the transcript of the rest. */
export interface Conversation<M extends MessageLike = MessageLike> {
  readonly system: readonly Entry<M>[]
  readonly transcript: Transcript<M>
}

export interface GrowingConversation<M extends MessageLike> extends Conversation<M> {
  readonly size: number
  /** `seq` is the message's place, for errors. */
  append(source: M, seq?: number): void
  /** The conversation as it is now: a receipt is made later, when more messages may have come. */
  now(): Conversation<M>
  /** Reads every message anew, after one was changed in place. */
  readAgain(): Conversation<M>
}

export function createConversation<M extends MessageLike>(
  count: TokenCounter,
  past?: Conversation<M>,
): GrowingConversation<M> {
  let system = [...(past?.system ?? [])]
  let transcript = past?.transcript ?? createTranscript<M>(count)
  const size = () => system.length + transcript.entries.length
  const now = () => ({ system: [...system], transcript })

  function append(source: M, seq = size()): void {
    const leading = transcript.entries.length === 0 ? leadingEntry(source, seq, count) : undefined
    if (leading) system.push(leading)
    else transcript.append(source, seq)
  }

  return {
    get system() {
      return system
    },
    get transcript() {
      return transcript
    },
    get size() {
      return size()
    },
    append,
    now,
    readAgain() {
      const sources = [...system, ...transcript.entries].map(entry => entry.source)
      system = []
      transcript = createTranscript(count)
      for (const source of sources) append(source)
      return now()
    },
  }
}

/** The entry of a leading message if it is part of the system prompt, else undefined. */
export function leadingEntry<M extends MessageLike>(
  source: M,
  seq: number,
  count: TokenCounter,
): Entry<M> | undefined {
  const entry = stampEntry(source, seq, count)
  return entry.role === 'system' ? entry : undefined
}
