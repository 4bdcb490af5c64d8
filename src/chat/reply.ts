import type { MessageLike } from '../log/message.ts'
import type { ChatPart, ChatResult } from './chat-part.ts'
import { toError } from './end-failed.ts'

/** A turn as it runs: read its parts, or wait for its result. Nothing happens before one of both. */
export interface Reply extends AsyncIterable<ChatPart> {
  /** Runs the turn to its end if nobody reads it. Rejects when it failed; a cancelled turn is a result. */
  result(): Promise<ChatResult>
  /** What the turn has added to the conversation, the user's message not included: also when it failed. */
  readonly messages: readonly MessageLike[]
}

/** Where a turn leaves what came of it. It is told before the last parts: whoever stops reading at them has it too. */
export interface Outcome {
  readonly messages: MessageLike[]
  settle(result: ChatResult): void
}

/** Runs a turn; `left` is aborted when whoever read its parts has left. */
export type RunReply = (outcome: Outcome, left: AbortSignal) => AsyncGenerator<ChatPart, void>

/** The end of a turn that was cancelled before it began: nothing was written. */
export const neverBegun = { status: 'cancelled' as const, rounds: 0, usage: {} }

/** Whoever stops reading cancels the turn: it is told, and closes what it has begun. */
export function createReply(run: RunReply): Reply {
  let resolve: (result: ChatResult) => void
  let reject: (error: unknown) => void
  const settled = new Promise<ChatResult>((onResult, onError) => {
    resolve = onResult
    reject = onError
  })
  // Who only reads the parts has seen the error there.
  settled.catch(() => undefined)
  const left = new AbortController()
  let isRead = false

  const outcome: Outcome = {
    messages: [],
    settle(result) {
      if (result.error) reject(result.error)
      else resolve(result)
    },
  }

  async function* read(): AsyncGenerator<ChatPart, void> {
    try {
      yield* run(outcome, left.signal)
    } catch (thrown) {
      // It could not even begin: another turn is open, say, or the store is away.
      const error = toError(thrown)
      const end = { status: 'failed' as const, rounds: 0, usage: {} }
      outcome.settle({ ...end, text: '', messages: [], error })
      yield { type: 'error', error }
      yield { type: 'end', ...end }
    }
  }

  const parts = read()
  /** A generator hears that it shall return only at its next part, and a model that is silent gives none. */
  function leave(): void {
    if (!isRead) outcome.settle({ ...neverBegun, text: '', messages: [] })
    isRead = true
    left.abort()
  }
  const iterator: AsyncIterableIterator<ChatPart, void> = {
    [Symbol.asyncIterator]: () => iterator,
    next() {
      isRead = true
      return parts.next()
    },
    return() {
      leave()
      return parts.return()
    },
    throw(error) {
      leave()
      return parts.throw(error)
    },
  }
  return {
    [Symbol.asyncIterator]: () => iterator,
    async result() {
      if (!isRead) for await (const _ of iterator) void _
      return settled
    },
    messages: outcome.messages,
  }
}
