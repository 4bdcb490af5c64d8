import { refuseUnknown } from '../log/error.ts'
import type { MessageLike } from '../log/message.ts'
import { present } from '../log/values.ts'
import { createConversation } from './conversation/conversation.ts'
import { checkOptions, counterOf } from './draft/frame-options.ts'
import { type Context, type FitOptions, fitNames, fitReading } from './fit.ts'
import { adoptIndex, saveIndex } from './recall/index-transcript.ts'
import { unpackIndex } from './recall/packed/packed-words.ts'

/** Holds one conversation as it grows. The cost of a turn does not depend on the conversation's length. */
export interface Fitter<M extends MessageLike> {
  /** The number of messages so far. */
  readonly size: number
  /** Adds messages at the end. One that cannot be read throws InvalidMessageError. */
  append(...messages: readonly M[]): void
  /** The recall index as bytes: pass it to a later fitter of the same messages as `savedIndex`. */
  saveIndex(): Uint8Array
  /** The context of the conversation as it is now; its receipt compares it with the previous context. */
  context(options?: Partial<Omit<FitOptions, 'count' | 'previous'>>): Context<M>
}

/** What `fit` takes, for all contexts of one conversation; a single context may say otherwise. */
export interface FitterOptions extends FitOptions {
  /** What `saveIndex()` of an earlier fitter of the same messages gave: they need not be read again for recall. */
  readonly savedIndex?: Uint8Array
}

/**
 * Like calling `fit` on a growing list again and again, without keeping the list.
 *
 * @example
 * const fitter = createFitter({ window: 4096 })
 * fitter.append({ role: 'user', content: 'hello' })
 * const { messages } = fitter.context()
 */
export function createFitter<M extends MessageLike = MessageLike>(
  options: FitterOptions,
): Fitter<M> {
  refuseUnknown(options, { ...fitNames, savedIndex: 1 })
  const { savedIndex, ...settings } = options ?? {}
  checkOptions(settings)
  const count = counterOf(settings)
  const conversation = createConversation(count)
  let previous: Context<M> | undefined
  if (savedIndex) adoptIndex(conversation.transcript, unpackIndex(savedIndex))

  return {
    get size() {
      return conversation.size
    },
    saveIndex: () => saveIndex(conversation.transcript),
    append(...messages) {
      for (const message of messages) conversation.append(message)
    },
    context(changes = {}) {
      const { promptLayout } = previous ?? {}
      const all = { ...settings, ...present({ promptLayout, previous }), ...changes, count }
      refuseUnknown(all, fitNames)
      checkOptions(all)
      previous = fitReading(conversation.now(), conversation.readAgain, all)
      return previous
    },
  }
}
