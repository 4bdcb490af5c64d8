import { InvalidOptionError } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import type { Context, FitOptions } from './context.ts'
import { stampEntry } from './conversation/stamp-entry.ts'
import { createTranscript } from './conversation/transcript.ts'
import type { Entry } from './conversation/unit.ts'
import { checkOptions, counterOf } from './draft/frame-options.ts'
import { fitConversation } from './fit-conversation.ts'
import { adoptIndex, saveIndex } from './recall/index-transcript.ts'
import { unpackIndex } from './recall/pack-index.ts'

/** Holds one conversation as it grows. What a turn costs does not depend on how long it is. */
export interface Fitter<M extends MessageLike> {
  /** How many messages it holds. */
  readonly size: number
  append(...messages: readonly M[]): void
  /** What recall knows of the conversation, as bytes: hand it to a later fitter of the same messages as `savedIndex`. */
  saveIndex(): Uint8Array
  /** The context of the conversation as it stands; its receipt compares it with the one before. */
  context(options?: Partial<Omit<FitOptions, 'count' | 'previous'>>): Context<M>
}

/**
 * Like calling `fit` again and again on a growing list, without keeping the list.
 *
 * @example
 * const fitter = createFitter({ window: 4096 })
 * fitter.append({ role: 'user', content: 'hello' })
 * const { messages } = fitter.context()
 */
export function createFitter<M extends MessageLike = MessageLike>({
  savedIndex,
  ...options
}: FitOptions & { readonly savedIndex?: Uint8Array }): Fitter<M> {
  checkOptions(options)
  const count = counterOf(options)
  let system: Entry<M>[] = []
  let transcript = createTranscript<M>(count)
  let previous: Context<M> | undefined
  if (savedIndex) adoptIndex(transcript, unpackIndex(savedIndex))

  function append(source: M): void {
    const seq = system.length + transcript.entries.length
    const entry = stampEntry(source, seq, count)
    if (entry.role === 'system' && transcript.entries.length === 0) system.push(entry)
    else transcript.append(source, seq)
  }

  /** A message was changed in place: everything is read anew. */
  function readAgain(): void {
    const sources = [...system, ...transcript.entries].map(entry => entry.source)
    system = []
    transcript = createTranscript<M>(count)
    for (const source of sources) append(source)
  }

  return {
    get size() {
      return system.length + transcript.entries.length
    },
    saveIndex: () => saveIndex(transcript),
    append(...messages) {
      for (const message of messages) append(message)
    },
    context(changes = {}) {
      const all = { ...options, ...changes, count, ...(previous ? { previous } : {}) }
      checkOptions(all)
      // A copy: receipts are made later, from what was there now.
      let context = fitConversation({ system: [...system], transcript }, all)
      if (!context) {
        readAgain()
        // Nobody knows any more what the call before was sent.
        const { previous: _, ...rest } = all
        context = fitConversation({ system: [...system], transcript }, rest)
      }
      if (!context)
        throw new InvalidOptionError('messages', 'a message changes while it is read: pass plain objects')
      previous = context
      return context
    },
  }
}
