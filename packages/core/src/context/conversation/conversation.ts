import type { MessageLike } from '../../log/message.ts'
import type { TokenCounter } from '../../tokens/create-counter.ts'
import { inherit } from './remember.ts'
import { type Entry, stampEntry } from './stamp-entry.ts'
import { createTranscript, type Transcript } from './transcript.ts'

/** The messages of a conversation: the leading system messages, and the transcript of the rest. */
export interface Conversation {
  readonly system: readonly Entry[]
  readonly transcript: Transcript
  /** The seq of the transcript's first entry. Those of the system messages end before it. */
  readonly origin: number
}

/** The seq of the first message: of a system message, if there is one. */
export const firstSeq = ({ system, origin }: Conversation): number => origin - system.length

/** A conversation that grows, counted from 0. */
export function createConversation(
  count: TokenCounter,
  past?: Pick<Conversation, 'system' | 'transcript'>,
) {
  let system = [...(past?.system ?? [])]
  let transcript = past?.transcript ?? createTranscript(count)
  const size = () => system.length + transcript.entries.length
  /** The conversation as it is now: a receipt is made later, when more messages may have come. */
  const now = (): Conversation => ({ system: [...system], transcript, origin: system.length })

  /** `seq` is the message's place, for errors. */
  function append(source: MessageLike, seq = size()): void {
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
    /** Reads every message anew, after one was changed in place. */
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
function leadingEntry(source: MessageLike, seq: number, count: TokenCounter): Entry | undefined {
  const entry = stampEntry(source, seq, count)
  return entry.role === 'system' ? entry : undefined
}

/** Transcripts by their first message, then compared by object: callers append to their list, or to a copy, and call again. */
const remembered = new WeakMap<object, Map<string, readonly ReadSources[]>>()

/** Several conversations and branches may begin with the same message object (a constant greeting, say). */
const mostLines = 4

interface ReadSources {
  readonly transcript: Transcript
  /** The objects of the transcript's entries in one list: comparing them is one walk over memory. */
  readonly sources: unknown[]
}

export function readConversation(
  messages: readonly MessageLike[],
  count: TokenCounter,
): Conversation {
  const system: Entry[] = []
  for (const source of messages) {
    const entry = leadingEntry(source, system.length, count)
    if (!entry) break
    system.push(entry)
  }
  const origin = system.length
  return { system, transcript: readTranscript(messages, origin, count), origin }
}

/** Forgets a conversation after one of its messages was changed in place. */
export function forgetConversation({ transcript }: Conversation, count: TokenCounter): void {
  const first = transcript.entries[0]?.source
  if (first) remembered.get(first)?.delete(count.id)
}

function readTranscript(
  messages: readonly MessageLike[],
  start: number,
  count: TokenCounter,
): Transcript {
  const first = messages[start]
  if (first === undefined) return createTranscript(count)
  const byCounter = remembered.get(first) ?? new Map<string, readonly ReadSources[]>()
  const lines = byCounter.get(count.id) ?? []
  const memory = continueFrom(lines, messages, start, count)
  const others = lines.filter(line => line !== memory)
  // Set again only at the end: a counter that throws must not leave half an entry behind.
  remembered.set(first, byCounter.set(count.id, others))
  for (let at = start + memory.sources.length; at < messages.length; at++) {
    memory.transcript.append(messages[at]!, at)
    memory.sources.push(messages[at])
  }
  byCounter.set(count.id, [memory, ...others].slice(0, mostLines))
  return memory.transcript
}

/** The remembered transcript that these messages continue; else a fork of the one that shares most with them. */
function continueFrom(
  lines: readonly ReadSources[],
  messages: readonly MessageLike[],
  start: number,
  count: TokenCounter,
): ReadSources {
  let best: ReadSources | undefined
  let most = 0
  for (const line of lines) {
    const shared = countShared(line.sources, messages, start)
    if (shared > most) [best, most] = [line, shared]
  }
  if (best?.sources.length === most) return best
  if (!best) return { transcript: createTranscript(count), sources: [] }
  const fork = best.transcript.fork(most)
  inherit(best.transcript, fork)
  return { transcript: fork, sources: best.sources.slice(0, fork.entries.length) }
}

function countShared(
  sources: readonly unknown[],
  messages: readonly unknown[],
  start: number,
): number {
  const most = Math.min(sources.length, messages.length - start)
  let shared = 0
  // Unlike `===`, it does not look into the objects, which are somewhere else in memory: a fifth of the time or less.
  while (shared < most && Object.is(sources[shared], messages[start + shared])) shared += 1
  return shared
}
